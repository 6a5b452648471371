/** What the box says of itself. */
import { readFile } from 'node:fs/promises';
import type { MediaKind } from '../domain/media.ts';
import { isImagePack, type ModelTask } from '../domain/model-pack.ts';
import { API_VERSION, VERSION } from '../domain/version.ts';
import type { App } from './app.ts';
import type { BackupStatus } from './backups.ts';

export interface ModelStatus {
  id: string;
  version: string;
  name: string;
  task: ModelTask;
  kind: MediaKind;
  /** Execution provider that really runs it, or null while it is out of service. */
  provider: string | null;
  fault: string | null;
  licence: string;
  /** Pixels; 0 for a model that hears. */
  minimumShortSide: number;
}

export interface ApplianceStatus {
  version: string;
  apiVersion: string;
  phase: string;
  notReadyReason: string | null;
  isolation: string;
  queueDepth: number;
  running: number;
  uptimeSeconds: number;
  /** Memory of the daemon itself; mapped database pages are not its own (DESIGN.md section 7). */
  rssAnonBytes: number;
  diskFreeBytes: number;
  models: ModelStatus[];
  /** Size of the file that holds the records. */
  recordsBytes: number;
  backup: BackupStatus;
}

export async function getStatus(app: App): Promise<ApplianceStatus> {
  const { phase, isolation, queueDepth, running } = app.engine.status();
  return {
    version: VERSION,
    apiVersion: API_VERSION,
    phase,
    notReadyReason: app.engine.notReadyReason,
    isolation: isolation ?? 'not started',
    queueDepth,
    running,
    uptimeSeconds: Math.round(process.uptime()),
    rssAnonBytes: await readRssAnon(),
    diskFreeBytes: await app.store.freeBytes(),
    recordsBytes: await app.store.recordsBytes(),
    backup: app.backups.status(),
    models: app.engine.packs.map(({ pack, report }) => ({
      id: pack.id,
      version: pack.version,
      name: pack.name,
      task: pack.task,
      kind: pack.mediaKind,
      provider: report?.provider ?? null,
      fault: report?.fault ?? null,
      licence: pack.licence,
      minimumShortSide: isImagePack(pack) ? pack.minimumShortSide : 0,
    })),
  };
}

const BYTES_PER_KIB = 1024;

async function readRssAnon(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8');
  const kib = /^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1];
  return Number(kib ?? 0) * BYTES_PER_KIB;
}
