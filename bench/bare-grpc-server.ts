/** The least that could stand in Assay's place over gRPC, in a process of its own: writes, hashes, answers. */
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, ServerCredentials, type ServerReadableStream } from '@grpc/grpc-js';
import { widenReceiveWindows } from '../src/facade/grpc/server.ts';
import { type Input, type OutputInit, serviceDefinition } from '../src/grpc/definition.ts';
import { ClassificationService } from '../src/grpc/gen/assay/v1/classification_service_pb.ts';

type Submit = typeof ClassificationService.method.submitMedia;
type Call = ServerReadableStream<Input<Submit>, OutputInit<Submit>>;

const MIB = 1024 * 1024;
/** The same settings as Assay's own server, so that only what lies behind them differs. */
const OPTIONS = { 'grpc.max_receive_message_length': 4 * MIB };

export class BareGrpcServer implements Disposable {
  readonly address: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, folder: string, port: number) {
    this.#child = child;
    this.#folder = folder;
    this.address = `127.0.0.1:${port}`;
  }

  static async start(): Promise<BareGrpcServer> {
    const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'));
    const child = fork(import.meta.filename, [folder]);
    const [port] = await once(child, 'message');
    return new BareGrpcServer(child, folder, Number(port));
  }

  [Symbol.dispose](): void {
    this.#child.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function serve(folder: string): void {
  widenReceiveWindows();
  const server = new Server(OPTIONS);
  const { submitMedia } = serviceDefinition(ClassificationService);
  server.addService(
    { submitMedia },
    {
      submitMedia: (call: Call, answer: (error: Error | null, value: OutputInit<Submit>) => void) => {
        store(call, join(folder, 'upload')).then(
          (hash) => answer(null, { classification: { hash } }),
          (error: Error) => answer(error, {}),
        );
      },
    },
  );
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_error, port) => process.send?.(port));
}

async function store(call: Call, path: string): Promise<string> {
  await using file = await open(path, 'w');
  const hash = createHash('sha256');
  for await (const { payload } of call as AsyncIterable<Input<Submit>>) {
    if (payload.case !== 'chunk') continue;
    hash.update(payload.value);
    await file.write(payload.value);
  }
  return hash.digest('hex');
}

if (import.meta.main) serve(process.argv[2] ?? tmpdir());
