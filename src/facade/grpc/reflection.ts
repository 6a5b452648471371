/** Server reflection, from the generated descriptors, so that it cannot differ from what is served. */
import { type DescFile, type DescService, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type {
  MethodDefinition,
  Server,
  ServerDuplexStream,
  ServiceDefinition,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { App } from '../../app/appliance/app.ts';
import { authenticate } from '../../app/callers/authenticate.ts';
import { followUntilClosed } from '../../app/callers/standing.ts';
import { keyOf, originOf } from './calls.ts';
import { toServiceError } from './errors.ts';

export interface ReflectionConfig {
  /** Off loopback the interface is shown only to who may use it. */
  credential: boolean;
}

const VERSIONS = ['v1', 'v1alpha'] as const;
type Version = (typeof VERSIONS)[number];
type Call = ServerDuplexStream<Buffer, Buffer>;

/** Indexing every message takes longer than all else that gRPC does at a start, so it waits for the first who asks. */
export function serveReflection(
  server: Server,
  app: App,
  services: readonly DescService[],
  { credential }: ReflectionConfig,
): void {
  let loading: Promise<ReadonlyMap<string, Served>> | undefined;
  for (const version of VERSIONS) {
    const handle = (call: Call): void => {
      loading ??= index(services);
      loading
        .then((served) => answer(call, served.get(pathOf(version))))
        .catch((error: unknown) => call.emit('error', toServiceError(error)));
    };
    server.addService(definitionOf(version), {
      ServerReflectionInfo: credential ? guarded(app, handle) : handle,
    });
  }
}

const pathOf = (version: Version): string =>
  `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;

/** Bytes as they come: the package decodes them once it is loaded. */
function definitionOf(version: Version): ServiceDefinition {
  const bytes = (value: Buffer): Buffer => value;
  return {
    ServerReflectionInfo: {
      path: pathOf(version),
      requestStream: true,
      responseStream: true,
      requestSerialize: bytes,
      requestDeserialize: bytes,
      responseSerialize: bytes,
      responseDeserialize: bytes,
    },
  };
}

interface Served {
  method: MethodDefinition<unknown, unknown>;
  handle: (stream: MessageStream) => void;
}

/** What the package's handlers use of a call. */
interface MessageStream {
  on(event: 'data' | 'end', listener: (message: unknown) => void): void;
  write(message: unknown): void;
  end(): void;
}

/** By the path of the method. */
async function index(services: readonly DescService[]): Promise<ReadonlyMap<string, Served>> {
  const { ReflectionService } = await import('@grpc/reflection');
  const fileDescriptorProtos = [...filesOf(services)].map((file) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)),
  );
  // Only the files are read; the rest is what the type of a loaded package asks for.
  const files = { format: 'Protocol Buffer 3 EnumDescriptorProto' as const, type: {}, fileDescriptorProtos };
  const served = new Map<string, Served>();
  new ReflectionService({ assay: files }).addToServer({
    addService: (definition: ServiceDefinition, implementation: UntypedServiceImplementation) => {
      for (const [name, method] of Object.entries(definition))
        served.set(method.path, { method, handle: implementation[name] as Served['handle'] });
    },
  });
  return served;
}

function answer(call: Call, served: Served | undefined): void {
  if (served === undefined) throw new Error('the package for reflection serves another version');
  const { method, handle } = served;
  handle({
    on: (event, listener) => {
      call.on(event, (bytes?: Buffer) =>
        listener(bytes === undefined ? undefined : method.requestDeserialize(bytes)),
      );
    },
    write: (message) => call.write(method.responseSerialize(message)),
    end: () => call.end(),
  });
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

function guarded(app: App, handle: (call: Call) => void): (call: Call) => void {
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
