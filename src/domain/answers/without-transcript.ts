/** A record as it may go to another box by itself: what was said in a recording stays where it is. Pure. */
import type { AudioRecord, ClassificationRecord } from './record.ts';

export function withoutTranscript(record: ClassificationRecord): ClassificationRecord {
  if (record.kind === 'audio') return silent(record);
  return record.kind === 'video' ? { ...record, audios: record.audios.map(silent) } : record;
}

function silent(record: AudioRecord): AudioRecord {
  return { ...record, transcript: null };
}
