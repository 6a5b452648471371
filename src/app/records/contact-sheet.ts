/** The contact sheet of a video: its analysed frames with their times and scores as one picture. */
import { createHash } from 'node:crypto';
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import { SHEET_FRAMES_MAX } from '../../domain/media/rendition.ts';
import type { SheetOrder } from '../../engine/decode/rendition-maker.ts';
import type { Core } from '../core.ts';

/** Enough to distinguish what one analysis may be drawn as. */
const NAME_CHARACTERS = 16;

/** Null where the record is no video, or has no frames (yet). */
export function sheetOrder({ store }: Core, record: ClassificationRecord): SheetOrder | null {
  if (record.kind !== 'video' || record.images.length === 0) return null;
  const analysisId = store.read.classification(record.identifier)?.analysisId ?? '';
  const result = store.read.analysis(analysisId)?.result;
  if (result?.kind !== 'video') return null;
  const { hash } = record;
  const { durationSeconds, width, height } = result;
  const facts = { hash, durationSeconds, width, height };
  const frames = result.frames.slice(0, SHEET_FRAMES_MAX).map(({ timeSeconds, file }, index) => ({
    timeSeconds,
    probability: record.images[index]?.assessment?.probability ?? null,
    sourcePath: store.artifacts.pathOf(analysisId, file),
  }));
  return { owner: analysisId, name: `sheet-${digestOf({ facts, frames })}`, kind: 'sheet', facts, frames };
}

/** A later version may read the same figures otherwise: what would look different has another name. */
function digestOf({ facts, frames }: Pick<SheetOrder, 'facts' | 'frames'>): string {
  const drawn = [facts, frames.map(({ timeSeconds, probability }) => [timeSeconds, probability])];
  return createHash('sha256').update(JSON.stringify(drawn)).digest('hex').slice(0, NAME_CHARACTERS);
}
