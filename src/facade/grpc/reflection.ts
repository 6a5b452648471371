/** Server reflection, from the generated descriptors, so that it cannot differ from what is served. */
import { type DescFile, type DescService, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { MethodDefinition, Server, ServerDuplexStream } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import type { App } from '../../app/appliance/app.ts';
import { authenticate } from '../../app/callers/authenticate.ts';
import { followUntilClosed } from '../../app/callers/standing.ts';
import { keyOf, originOf } from './calls.ts';
import { toServiceError } from './errors.ts';

export interface ReflectionConfig {
  /** Off loopback only a caller with a credential may read the interface. */
  credential: boolean;
}

const PATHS = ['v1', 'v1alpha'].map(
  (version) => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
);
type ReflectionCall = ServerDuplexStream<unknown, unknown>;

interface ReflectionMethod {
  definition: MethodDefinition<unknown, unknown>;
  handle: (call: ReflectionCall) => void;
}

/** Reading all descriptors takes a tenth of a second, so the first call does it, not the start. */
export function serveReflection(
  server: Server,
  app: App,
  services: readonly DescService[],
  { credential }: ReflectionConfig,
): void {
  let methods: Map<string, ReflectionMethod> | undefined;
  const methodAt = (path: string): ReflectionMethod => {
    methods ??= openMethods(services);
    const method = methods.get(path);
    if (method === undefined) throw new Error(`@grpc/reflection does not serve ${path}`);
    return method;
  };
  for (const path of PATHS) {
    const handle = (call: ReflectionCall): void => methodAt(path).handle(call);
    server.addService(
      {
        reflect: {
          path,
          requestStream: true,
          responseStream: true,
          requestSerialize: (value: unknown) => methodAt(path).definition.requestSerialize(value),
          requestDeserialize: (bytes) => methodAt(path).definition.requestDeserialize(bytes),
          responseSerialize: (value: unknown) => methodAt(path).definition.responseSerialize(value),
          responseDeserialize: (bytes) => methodAt(path).definition.responseDeserialize(bytes),
        },
      },
      { reflect: credential ? guarded(app, handle) : handle },
    );
  }
}

function openMethods(services: readonly DescService[]): Map<string, ReflectionMethod> {
  const fileDescriptorProtos = [...filesOf(services)].map((file) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)),
  );
  // Only the files are read; the rest is what the type of a loaded package asks for.
  const files = { format: 'Protocol Buffer 3 EnumDescriptorProto' as const, type: {}, fileDescriptorProtos };
  const methods = new Map<string, ReflectionMethod>();
  new ReflectionService({ assay: files }).addToServer({
    addService: (service, implementation) => {
      for (const [name, definition] of Object.entries(service)) {
        // Both versions of the service have one method, a bidirectional stream.
        const handle = implementation[name] as ReflectionMethod['handle'];
        methods.set(definition.path, { definition, handle });
      }
    },
  });
  return methods;
}

function filesOf(services: readonly DescService[]): Set<DescFile> {
  const files = new Set<DescFile>();
  const add = (file: DescFile) => {
    if (files.has(file)) return;
    files.add(file);
    for (const dependency of file.dependencies) add(dependency);
  };
  for (const { file } of services) add(file);
  return files;
}

function guarded(app: App, handle: ReflectionMethod['handle']): ReflectionMethod['handle'] {
  return (call) => {
    try {
      const principal = authenticate(app, keyOf(call.metadata), originOf(call));
      const lost = followUntilClosed(app, principal, call);
      lost.addEventListener('abort', () => call.emit('error', toServiceError(lost.reason)), { once: true });
    } catch (error) {
      call.emit('error', toServiceError(error));
      return;
    }
    handle(call);
  };
}
