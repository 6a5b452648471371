/** The demuxers' guess if the first bytes show no type; one outside of `FORMATS` only names the file in the refusal. */
import { InputFormat } from 'node-av/lib';
import { formatReadBy, type MediaType, typeOf } from '../../domain/media/formats.ts';
import { MediaFaultFound } from '../media/media-fault.ts';
import { Container } from './container.ts';

/** `AVPROBE_SCORE_RETRY`: below it the library is unsure, and takes noise for MP3. */
const SCORE_MIN = 25;

/** The type, or the name that completes “the file is …”; undefined if no demuxer knows it. `head`: what its type lies in. */
export function guessType(path: string, head: Buffer): MediaType | string | undefined {
  const name = InputFormat.probe(head);
  if (name?.name == null) return undefined;
  const type = typeOf(formatReadBy(name.name)?.mime ?? '');
  if (type !== undefined) return isReadable(path, type) ? type : undefined;
  const isSure = InputFormat.probe(head.subarray(0, head.length / 2))?.name === name.name;
  return isSure ? `taken for ${name.longName ?? name.name}` : undefined;
}

function isReadable(path: string, type: MediaType): boolean {
  try {
    using container = Container.open(path, type);
    return container.probeScore >= SCORE_MIN && (container.video ?? container.audio) !== null;
  } catch (error) {
    if (error instanceof MediaFaultFound) return false;
    throw error;
  }
}
