/** Constructs the engine, and the executor of workers on other boxes if there may be any. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from './app/appliance/app.ts';
import { fetchManifest } from './app/submissions/fetch-manifest.ts';
import { fetchMedia } from './app/submissions/fetch-media.ts';
import type { Settings } from './config/settings.ts';
import { SettingsError } from './config/settings-error.ts';
import type { Clock } from './domain/clock.ts';
import type { Analysis } from './domain/records/classification.ts';
import { assessmentState } from './domain/verdicts/assessment.ts';
import { Engine } from './engine/engine.ts';
import type { EngineObserver } from './engine/executors/engine-observer.ts';
import type { RemoteExecutor } from './engine/remote/remote-executor.ts';
import type { Metrics } from './machinery/metrics.ts';
import type { TlsFiles } from './machinery/tls.ts';
import type { Tracing } from './machinery/tracing.ts';
import type { Store } from './store/store.ts';

/** Reading the packs takes a fifth of it. */
const HEAD_START_MS = 500;

type EngineNeeds = Pick<
  App,
  'config' | 'store' | 'clock' | 'log' | 'metrics' | 'tracing' | 'newIdentifier' | 'trust' | 'copies'
> & {
  remote: RemoteExecutor | null;
};

export function openEngine(
  { engine }: Settings,
  { config, store, clock, log, metrics, tracing, newIdentifier, trust, remote, copies }: EngineNeeds,
): Engine {
  return new Engine(
    { ...engine, trust: trust.material },
    {
      store,
      clock,
      bootId: readBootId(),
      newIdentifier,
      log,
      observer: observe({ metrics, tracing, read: store.read }),
      remote,
      fetchMedia: (source, signal) => fetchMedia(config, store, source, signal),
      fetchManifest: (address, signal) => fetchManifest(config, address, signal),
      lookForCopies: (analysis, seen) => copies.look(analysis, seen),
    },
  );
}

interface RemoteParts {
  store: Store;
  clock: Clock;
  log: App['log'];
  tls: TlsFiles | null;
}

/** Null if no workers on other boxes are wanted; nothing of NATS is loaded then. */
export async function openRemote(
  stack: AsyncDisposableStack,
  { nats, workers, app }: Settings,
  { store, clock, log, tls }: RemoteParts,
): Promise<RemoteExecutor | null> {
  if (nats === null) return null;
  const { listen, leaseMs } = workers;
  if (listen === null) throw new SettingsError([MISSING_LISTENER]);
  const { openRemoteExecutor } = await import('./compose-remote.ts');
  return await openRemoteExecutor(stack, {
    store,
    clock,
    log,
    tls,
    leaseMs,
    mediaUrl: workers.mediaUrl,
    nats: { ...nats, nkeySeed: nats.nkeySeed?.reveal() ?? null },
    listener: { ...listen, diskFreeBytesMin: app.diskFreeBytesMin, tls },
  });
}

const MISSING_LISTENER = {
  key: 'workers.listen',
  place: 'nowhere',
  found: 'nothing',
  expected: 'an address where workers fetch media, since nats.servers is set',
};

/** Resolves once models are up or after the head start; `packsRead` admits submissions. A failure shows in `/readyz`. */
export async function startEngine(engine: Engine, log: App['log']): Promise<{ packsRead: Promise<void> }> {
  const started = engine
    .start()
    .catch((error: unknown) => log.error({ err: error }, 'the engine did not start'));
  const headStart = delay(HEAD_START_MS, undefined, { ref: false });
  const packsRead = Promise.race([engine.modelsLoading, started]);
  await Promise.race([packsRead, headStart]);
  return { packsRead };
}

/** Shows whether only the daemon was killed, or the machine with it. */
const readBootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

interface ObserverParts {
  metrics: Metrics;
  tracing: Tracing | null;
  read: Store['read'];
}

function observe({ metrics, tracing, read }: ObserverParts): EngineObserver {
  /** The trace of an analysis is that of the first record that it is for. */
  const identifierOf = ({ id }: Analysis) => read.classificationsOfAnalysis(id)[0]?.identifier;
  return {
    analysisEnded(analysis) {
      metrics.analyses.inc({ kind: analysis.kind, state: analysis.state });
      const state = analysis.result === null ? null : assessmentState(analysis.result);
      if (state !== null) metrics.verdicts.inc({ kind: analysis.kind, state });
      const identifier = tracing === null ? undefined : identifierOf(analysis);
      if (identifier !== undefined) tracing?.ended(identifier, analysis);
    },
    stepTimed(step, seconds, analysis) {
      metrics.stepSeconds.observe({ step }, seconds);
      if (tracing === null || analysis === undefined) return;
      const identifier = identifierOf(analysis);
      if (identifier !== undefined) tracing.stepped(identifier, analysis.id, step, seconds);
    },
    workerDied(worker) {
      metrics.workerDeaths.inc({ worker });
    },
    videoDecoded(wanted, used) {
      metrics.videoDecoders.inc({ wanted, used });
    },
    queueChanged(depth, running) {
      metrics.queueDepth.set(depth);
      metrics.running.set(running);
    },
  };
}
