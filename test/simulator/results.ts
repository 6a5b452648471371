/** What simulated children answer of a picture: figures drawn from the seed, of what was asked. */
import { packKey } from '../../src/domain/packs/model-pack.ts';
import { NO_PROVENANCE } from '../../src/domain/provenance/provenance.ts';
import type { AnalysisResult } from '../../src/domain/verdicts/result.ts';
import type { AnalysisJob, AnalysisParts, Children } from '../../src/engine/analyses/analysis-parts.ts';
import type { AnalysisSlot } from '../../src/engine/decode/decode-slot.ts';
import { analyse } from '../../src/engine/executors/analyse.ts';
import { type Note, noteChildren } from '../../src/engine/executors/noted-children.ts';
import { outputLengthOf } from '../../src/engine/packs/installed-packs.ts';
import type { PatchSetRequest } from '../../src/worker/protocol/decode-protocol.ts';
import type { Random } from '../heavy/random.ts';
import { PACKS } from './packs.ts';

/** Pixels of each side of every simulated picture. */
export const SIDE = 256;

/** `note` gets what each child answers. */
export async function analysePicture(
  job: AnalysisJob,
  random: Random,
  note: (note: Note) => void = () => {},
): Promise<AnalysisResult> {
  const parts: Partial<AnalysisParts> = {
    ...noteChildren(simulatedChildren(random), note),
    store: {
      blobs: { pathOf: () => '' } as unknown as AnalysisParts['store']['blobs'],
      artifacts: { put: async () => {} },
    },
    findPack,
    stability: true,
    stepTimed: () => {},
  };
  const silent = { report: () => {}, found: () => {}, seen: () => {}, stepTimed: () => {} };
  const attempt = { ...silent, id: job.id, analysis: job, signal: new AbortController().signal };
  return await analyse(parts as AnalysisParts, attempt);
}

function findPack(key: string): (typeof PACKS)[number] | undefined {
  return PACKS.find(({ pack }) => packKey(pack) === key);
}

/** Values that the model puts out for each item. */
function valuesOf(key: string): number {
  const found = findPack(key);
  if (found === undefined) throw new Error(`no pack is called ${key}`);
  return outputLengthOf(found.pack);
}

function simulatedChildren(random: Random): Children {
  const cut = (patchSets: readonly PatchSetRequest[]) =>
    patchSets.map(({ name, layout: { size } }) => ({
      ...{ name, file: `${name}.rgb`, size, positions: [{ x: 0, y: 0 }], width: SIDE, height: SIDE },
    }));
  const request = async (
    work: { patchSets: PatchSetRequest[]; type: string },
    options: { onPatched?: (picture: object) => void },
  ) => {
    const picture = { width: SIDE, height: SIDE, patchSets: cut(work.patchSets) };
    if (work.type === 'copy-patches') return { sets: picture.patchSets };
    options.onPatched?.(picture);
    const image = {
      ...{ ...picture, mime: 'image/png', pages: 1, provenance: NO_PROVENANCE, likeness: null, frames: [] },
      quality: { shortSide: SIDE, jpegQuality: null, truncated: false },
      marks: { hasReadMetadata: true, watermarks: [] },
    };
    return { image };
  };
  const slot: Partial<AnalysisSlot> = {
    placeInput: async () => 'input',
    outPath: (file) => file,
    request: request as unknown as AnalysisSlot['request'],
  };
  const unasked = () => Promise.reject(new Error('a picture has no sound'));
  return {
    decodePool: { run: async (_purpose, work) => await work(slot as AnalysisSlot) },
    inference: {
      infer: async ({ pack, count }) => ({
        logits: Float32Array.from({ length: count * valuesOf(pack) }, () => random.next() * 4 - 2),
        ...{ elapsedMs: 100, waitedMs: 0, device: 'cpu' },
      }),
      ...{ detectSpeech: unasked, transcribe: unasked },
    },
  };
}
