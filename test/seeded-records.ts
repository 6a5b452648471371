/** Finished records written past the daemon: thousands of submissions would take an hour. */

import { heldFor } from '../src/domain/desk.ts';
import { NO_PROVENANCE } from '../src/domain/provenance/provenance.ts';
import { DEFAULT_OPTIONS } from '../src/domain/records/options.ts';
import type { ImageResult, ModelRun } from '../src/domain/verdicts/result.ts';
import type { Store } from '../src/store/store.ts';

const BATCH = 500;
export const FIRST_TIME_US = 1_767_225_600_000_000;

export interface SeededRecord {
  name: string;
  refId?: string;
  hash?: string;
  accountId?: number;
  /** Absent: the record is the account's own. */
  deskId?: number;
  /** Probability of an artificial origin; null: the analysis failed. */
  probability: number | null;
}

/** Sixty-four hex characters that end in the number. */
export function identifierOf(index: number): string {
  return index.toString(16).padStart(64, '0');
}

/** One picture for each number from 0 on, a microsecond after the one before. */
export async function seedRecords(
  store: Store,
  count: number,
  describe: (index: number) => SeededRecord,
): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    await store.transact((tx) => {
      for (let index = from; index < Math.min(count, from + BATCH); index += 1) {
        put(tx, index, describe(index));
      }
    });
  }
}

function put(
  tx: Parameters<Parameters<Store['transact']>[0]>[0],
  index: number,
  { name, refId = '', hash = identifierOf(index), accountId = 1, deskId, probability }: SeededRecord,
): void {
  const at = FIRST_TIME_US + index;
  const identifier = identifierOf(index);
  const options = { ...DEFAULT_OPTIONS };
  const held = heldFor(accountId, deskId);
  const common = { kind: 'image', hash, sourceUrl: null, options, ...held } as const;
  tx.putAnalysis({
    ...{ ...common, id: identifier, key: `seeded/${index}`, models: [], attempts: 1, lease: null },
    ...{ queuedAt: at, endedAt: at, apiVersion: '1.1.0' },
    ...(probability === null
      ? { state: 'errored', error: 'a seeded record', result: null }
      : { state: 'done', error: '', result: imageResult(probability) }),
  });
  tx.putClassification({
    ...{ ...common, identifier, name, refId, mime: 'image/png', sizeBytes: 1, analysisId: identifier },
    ...{ origin: 'analysed', cancelled: false, credits: 0, webhookUrl: null },
    ...{ requestId: null, createdAt: at },
  });
}

function imageResult(probability: number): ImageResult {
  const logOdds = Math.log(probability / (1 - probability));
  const run: ModelRun = {
    ...{ model: 'seeded', version: '1.0.0', task: 'image-origin', axis: 'generated', unknown: false },
    ...{ reason: '', logit: logOdds, logOdds, probability, elapsedSeconds: 1, device: 'cpu', weight: 1 },
    ...{ cautiousThreshold: 0.9, inconclusiveLow: 0.4, inconclusiveHigh: 0.6 },
  };
  return {
    ...{ kind: 'image', mime: 'image/png', width: 640, height: 480, pages: 1, nsfw: null, detections: [] },
    ...{ runs: [run], provenance: NO_PROVENANCE, stability: [], hasHeatmap: false },
    quality: { shortSide: 480, jpegQuality: null, truncated: false },
  };
}
