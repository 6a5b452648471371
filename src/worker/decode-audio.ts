import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { PlayedFile } from './libav/played-file.ts';
import { type ReportStep, secondsReporter } from './media/progress.ts';
import { readMediaType, refuseKind } from './pictures/media-header.ts';
import type { DecodeAudioRequest } from './protocol/decode-protocol.ts';
import type { DecodedAudio } from './protocol/decoded-media.ts';
import { searchMarks } from './steps/marks.ts';
import { checkStreams } from './steps/probe-container.ts';
import { readProvenance } from './steps/provenance.ts';
import { decodeSound } from './steps/sound.ts';

/** Sizes that encoders write which cannot go back to the header. */
const SIZES_UNKNOWN = [0, 0x7fff_ffff, 0xffff_ffff];
/** Recorders round the size up by at most this. */
const SLACK_BYTES = 64;

export async function decodeAudio(
  request: DecodeAudioRequest,
  slotFolder: string,
  report: ReportStep,
): Promise<DecodedAudio> {
  const path = join(slotFolder, 'in', request.input);
  const type = await readMediaType(path);
  if (type.kind === 'image') throw refuseKind('audio', `a ${type.name} picture`);
  using file = PlayedFile.open(path, type, { kind: 'audio' });
  const { container } = file;
  const { mime, name } = checkStreams(container, type);
  if (container.audio === null) throw refuseKind('audio', `${name} video without sound`);
  const provenance = await readProvenance({ path, mime, trust: request.trust, tags: container.tags });
  const marks = searchMarks(mime, null);
  const { sound, isDamaged } = decodeSound({
    file,
    outFolder: join(slotFolder, 'out'),
    secondsMax: request.soundSecondsMax,
    isLongRefused: true,
    onProgress: secondsReporter(report, 'sound', file.seconds),
  });
  return { mime, provenance, marks, sound, damaged: isDamaged || (await isRiffCutOff(path)) };
}

/** Whether a WAV file is shorter than its header says; the media library takes the rest for the whole. */
async function isRiffCutOff(path: string): Promise<boolean> {
  await using file = await open(path, 'r');
  const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 0);
  if (buffer.toString('latin1', 0, 4) !== 'RIFF') return false;
  const claimed = buffer.readUInt32LE(4);
  if (SIZES_UNKNOWN.includes(claimed)) return false;
  return claimed + 8 > (await file.stat()).size + SLACK_BYTES;
}
