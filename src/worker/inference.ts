/** Entry of an inference child. It never reads an uploaded file, so no hostile picture reaches what all depend on. */
import { flushCompileCache } from 'node:module';
import { BatchLoop } from './batch-loop.ts';
import type { InferenceRequest, InferenceResponse } from './protocol/inference-protocol.ts';

const loop = new BatchLoop(send);
const LET_GO_MS = 1000;
/** Loads run one after the other; later requests wait behind them. */
let turn: Promise<void> = Promise.resolve();

process.on('message', (request: InferenceRequest) => {
  turn = turn.then(() => handle(request));
});
setInterval(() => {
  turn = turn.then(() => loop.letGo());
}, LET_GO_MS).unref();

// The daemon carries out a stop that reaches the whole process group (Ctrl-C, a service manager): it drains first.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});

async function handle(request: InferenceRequest): Promise<void> {
  switch (request.type) {
    case 'load':
      send({ type: 'ready', packs: await loop.load(request) });
      proveNext();
      return;
    case 'infer':
    case 'detect-speech':
    case 'transcribe':
      return await loop.add(request);
    case 'cancel':
      return await loop.cancel(request.id);
    case 'shutdown':
      return process.disconnect();
  }
}

/** Checks one pack a turn, so that a request waits for one check at most, and for its own pack's. */
function proveNext(): void {
  turn = turn.then(async () => {
    if (await loop.proveNext()) proveNext();
    // Flushed now: the process is killed at its end, and would keep nothing.
    else flushCompileCache();
  });
}

function send(response: InferenceResponse): void {
  process.send?.(response);
}
