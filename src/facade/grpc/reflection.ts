/** Server reflection, from the generated descriptors, so that it cannot differ from what is served. */
import { type DescFile, type DescService, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { Server, ServerDuplexStream, UntypedServiceImplementation } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { service as healthService } from 'grpc-health-check';
import type { App } from '../../app/appliance/app.ts';
import { authenticate } from '../../app/callers/authenticate.ts';
import { followUntilClosed } from '../../app/callers/standing.ts';
import { keyOf, originOf } from './calls.ts';
import { toServiceError } from './errors.ts';

export interface ReflectionConfig {
  /** Off loopback the interface is shown only to who may use it. */
  credential: boolean;
}

export function serveReflection(
  server: Server,
  app: App,
  services: readonly DescService[],
  { credential }: ReflectionConfig,
): void {
  const own = [...filesOf(services)].map((file) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)),
  );
  // The health service comes with descriptors of its own; without them grpcurl finds no Health/Check.
  const fileDescriptorProtos = [...own, ...healthFiles()];
  // Only the files are read; the rest is what the type of a loaded package asks for.
  const files = { format: 'Protocol Buffer 3 EnumDescriptorProto' as const, type: {}, fileDescriptorProtos };
  const packageDefinition = { assay: files };
  new ReflectionService(packageDefinition).addToServer({
    addService: (definition, implementation) =>
      server.addService(definition, credential ? guarded(app, implementation) : implementation),
  });
}

function healthFiles(): Buffer[] {
  const { Check } = healthService as unknown as Record<
    string,
    { requestType?: { fileDescriptorProtos: Buffer[] } }
  >;
  return Check?.requestType?.fileDescriptorProtos ?? [];
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

function guarded(app: App, implementation: UntypedServiceImplementation): UntypedServiceImplementation {
  const entries = Object.entries(implementation).map(([name, handle]) => [
    name,
    (call: ServerDuplexStream<unknown, unknown>) => {
      try {
        const principal = authenticate(app, keyOf(call.metadata), originOf(call));
        const lost = followUntilClosed(app, principal, call);
        lost.addEventListener('abort', () => call.emit('error', toServiceError(lost.reason)), { once: true });
      } catch (error) {
        call.emit('error', toServiceError(error));
        return;
      }
      // Both versions of the service have one method, a bidirectional stream.
      (handle as (call: ServerDuplexStream<unknown, unknown>) => void)(call);
    },
  ]);
  return Object.fromEntries(entries);
}
