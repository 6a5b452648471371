/** A finished record with its original, without an analysis having run: what packages are made of. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { App } from '../../../src/app/appliance/app.ts';
import { NO_PROVENANCE } from '../../../src/domain/provenance/provenance.ts';
import type { ImageResult } from '../../../src/domain/verdicts/result.ts';
import { addRecord } from '../open-app.ts';

const ORIGINAL = Buffer.from('no picture, but bytes that were submitted');
const HASH = createHash('sha256').update(ORIGINAL).digest('hex');
const RESULT: ImageResult = {
  ...{ kind: 'image', mime: 'image/png', width: 640, height: 480, pages: 1, nsfw: null, detections: [] },
  ...{ provenance: NO_PROVENANCE, hasHeatmap: false },
  runs: [
    {
      ...{
        model: 'gone',
        version: '0.9.0',
        task: 'image-origin',
        axis: 'generated',
        unknown: false,
        reason: '',
      },
      ...{ logit: 3, logOdds: 3, probability: 0.9526, weight: 1, elapsedSeconds: 0.1, device: 'cpu' },
      ...{ cautiousThreshold: 0.9, inconclusiveLow: 0.35, inconclusiveHigh: 0.7 },
    },
  ],
  stability: [{ name: 'jpeg-60', logOdds: 2.5, probability: 0.924 }],
  quality: { shortSide: 480, jpegQuality: null, truncated: false },
};

/** Stores the original of records that name none of their own. */
export async function keepOriginal(app: App): Promise<void> {
  const { signal } = new AbortController();
  const received = await app.store.blobs.receive(Readable.from([ORIGINAL]), { bytesMax: 1000 }, signal);
  await app.store.blobs.keep(received);
}

export async function addDone(app: App, hash = HASH): Promise<string> {
  const made = await addRecord(app, 1, { hash, state: 'done' });
  await app.store.transact((tx) => {
    const own = tx.records.get(made);
    const analysis = own && tx.analyses.get(own.analysisId);
    if (analysis === undefined) throw new Error('no analysis');
    tx.putAnalysis({ ...analysis, error: '', models: ['gone@0.9.0'], result: RESULT, rulesVersion: 1 });
  });
  return made;
}
