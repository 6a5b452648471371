/** The analysis of a recording, as far as a decode child takes it. */
import { join } from 'node:path';
import { Container } from './libav/container.ts';
import { readMediaType, refuseKind } from './pictures/media-header.ts';
import { isRiffCutOff } from './pictures/riff-size.ts';
import type { DecodeAudioRequest, DecodedAudio } from './protocol.ts';
import { checkStreams } from './steps/probe-container.ts';
import { type ReportStep, secondsReporter } from './steps/progress.ts';
import { readProvenance } from './steps/provenance.ts';
import { decodeSound } from './steps/sound.ts';

export async function decodeAudio(
  request: DecodeAudioRequest,
  slotFolder: string,
  report: ReportStep,
): Promise<DecodedAudio> {
  const path = join(slotFolder, 'in', request.input);
  const type = await readMediaType(path);
  if (type.kind === 'image') throw refuseKind('audio', `a ${type.name} picture`);
  using container = Container.open(path, type);
  const { mime, name } = checkStreams(container, type);
  const stream = container.audio;
  if (stream === null) throw refuseKind('audio', `${name} video without sound`);
  const provenance = await readProvenance(path, mime, request.trustAnchorsPem);
  const { sound, isDamaged } = decodeSound({
    container,
    stream,
    outFolder: join(slotFolder, 'out'),
    secondsMax: request.soundSecondsMax,
    isLongRefused: true,
    onProgress: secondsReporter(report, 'sound', container.claimedSeconds),
  });
  return { mime, provenance, sound, damaged: isDamaged || (await isRiffCutOff(path)) };
}
