/** A daemon in the test's process, for tests that end neither it nor its children; a `TestDaemon` takes thrice as long. */
import { type Outcome, runCommand } from '../cli/run-command.ts';
import { type DaemonOptions, TEST_KEY, tinyModels } from '../daemon.ts';
import { until } from '../faults/rounds/submissions.ts';
import { BUILT_IN_MODELS, openServedApp, type ServedApp } from './open-app.ts';

export interface OpenBox extends AsyncDisposable {
  readonly http: string;
  readonly grpc: string;
  readonly folder: string;
  readonly open: ServedApp;
  /** Runs a command as the administrator. */
  assay(...args: readonly string[]): Promise<Outcome>;
}

export async function openBox({
  folder,
  env = {},
  models,
  awaitReady = true,
}: Omit<DaemonOptions, 'program' | 'readyTimeoutMs'> = {}): Promise<OpenBox> {
  await using stack = new AsyncDisposableStack();
  const open = stack.use(
    await openServedApp({
      ...{ ASSAY_ADMIN_API_KEY: TEST_KEY, ASSAY_DECODE_SLOTS: '2' },
      ...(folder === undefined ? {} : { ASSAY_DATA_DIR: folder }),
      ...(models === 'tiny' ? await tinyModels() : BUILT_IN_MODELS),
      ...env,
    }),
  );
  if (awaitReady) await until(() => open.app.engine.phase === 'ready', 'the models');
  const held = stack.move();
  const { address } = open.daemon.grpc;
  return {
    ...{ http: open.url, grpc: address, folder: open.folder, open },
    assay: (...args) => runCommand({ address, key: TEST_KEY }, args),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
