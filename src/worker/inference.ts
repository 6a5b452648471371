/**
 * Entry of an inference child: holds the models and runs them for all analyses. It reads model packs and patch and sound
 * files of slot folders, never an uploaded file, so a hostile picture cannot reach the process that every analysis depends on.
 */
import { flushCompileCache } from 'node:module';
import { BatchLoop } from './batch-loop.ts';
import type { InferenceRequest, InferenceResponse } from './protocol/inference-protocol.ts';

const loop = new BatchLoop(send);
/** How often is looked for packs that no one asks any more. */
const LET_GO_MS = 1000;
/** Loads are awaited one after the other; requests that come meanwhile wait behind them. */
let turn: Promise<void> = Promise.resolve();

process.on('message', (request: InferenceRequest) => {
  turn = turn.then(() => handle(request));
});
setInterval(() => {
  turn = turn.then(() => loop.letGo());
}, LET_GO_MS).unref();

// A stop that reaches the whole group (Ctrl-C, a service manager) is the daemon's to carry out: it drains first.
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

/** Pack after pack, each in a turn of its own: a request waits for one check at most, and for that of its own pack. */
function proveNext(): void {
  turn = turn.then(async () => {
    if (await loop.proveNext()) proveNext();
    // At its end the process is killed and would keep nothing.
    else flushCompileCache();
  });
}

function send(response: InferenceResponse): void {
  process.send?.(response);
}
