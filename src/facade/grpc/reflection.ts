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
  /** Off loopback the interface is shown only to who may use it. */
  credential: boolean;
}

type Handle = (call: ServerDuplexStream<unknown, unknown>) => void;

/** One version of the service, which has one method, a bidirectional stream. */
interface Reflected {
  definition: MethodDefinition<unknown, unknown>;
  handle: Handle;
}

const PATHS = ['v1', 'v1alpha'].map(
  (version) => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
);

/** Reads the descriptors when it is first asked: that takes a twentieth of a start, and hardly a daemon is ever asked. */
export function serveReflection(
  server: Server,
  app: App,
  services: readonly DescService[],
  { credential }: ReflectionConfig,
): void {
  let made: ReadonlyMap<string, Reflected> | undefined;
  const reflected = (path: string): Reflected => {
    made ??= reflect(services);
    const found = made.get(path);
    if (found === undefined) throw new Error(`the reflection service has no ${path}`);
    return found;
  };
  for (const path of PATHS) {
    const handle: Handle = (call) => reflected(path).handle(call);
    server.addService(
      {
        info: {
          path,
          requestStream: true,
          responseStream: true,
          requestSerialize: (value) => reflected(path).definition.requestSerialize(value),
          requestDeserialize: (bytes) => reflected(path).definition.requestDeserialize(bytes),
          responseSerialize: (value) => reflected(path).definition.responseSerialize(value),
          responseDeserialize: (bytes) => reflected(path).definition.responseDeserialize(bytes),
        },
      },
      { info: credential ? guarded(app, handle) : handle },
    );
  }
}

function reflect(services: readonly DescService[]): Map<string, Reflected> {
  const fileDescriptorProtos = [...filesOf(services)].map((file) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)),
  );
  // Only the files are read; the rest is what the type of a loaded package asks for.
  const files = { format: 'Protocol Buffer 3 EnumDescriptorProto' as const, type: {}, fileDescriptorProtos };
  const found = new Map<string, Reflected>();
  new ReflectionService({ assay: files }).addToServer({
    addService(service, implementation) {
      for (const [name, definition] of Object.entries(service)) {
        found.set(definition.path, { definition, handle: implementation[name] as Handle });
      }
    },
  });
  return found;
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

function guarded(app: App, handle: Handle): Handle {
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
