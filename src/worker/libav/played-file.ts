/** A file's parts in a row, on one clock from 0; one container stays open at a time, since opening costs 15 ms. */
import { statSync } from 'node:fs';
import type { Stream } from 'node-av/lib';
import type { MediaType } from '../../domain/media/formats.ts';
import { type ByteRange, type Container, WHOLE } from './container.ts';
import { findParts, ownRange } from './joins.ts';
import { MediaFile, type Reading } from './media-file.ts';
import { measureTimeSpan, SCAN_BYTES_MAX, soundBeginning, type TimeSpan } from './time-span.ts';

export interface PlayedPart {
  range: ByteRange;
  /** Where it begins within the whole. */
  beginSeconds: number;
  /** The time of its picture, or of its sound if that is asked for; null if it has none. */
  span: TimeSpan | null;
}

export class PlayedFile implements Disposable {
  readonly #path: string;
  readonly type: MediaType;
  /** The stream that its length is measured by. */
  readonly kind: 'video' | 'audio';
  readonly parts: readonly PlayedPart[];
  #open: { index: number; media: MediaFile };

  private constructor(
    path: string,
    type: MediaType,
    kind: 'video' | 'audio',
    parts: readonly PlayedPart[],
    media: MediaFile,
  ) {
    this.#path = path;
    this.type = type;
    this.kind = kind;
    this.parts = parts;
    this.#open = { index: 0, media };
  }

  /** `kind`: measures the length, by default a picture if there is one. `isQuick`: no large file is read whole for joins. */
  static open(
    path: string,
    type: MediaType,
    { kind: asked, isQuick = false }: { kind?: 'video' | 'audio'; isQuick?: boolean } = {},
  ): PlayedFile {
    const own = ownRange(path, type);
    const media = new MediaFile(path, type, own);
    try {
      const kind = asked ?? (media.container.video === null ? 'audio' : 'video');
      const isRead = !isQuick || statSync(path).size <= SCAN_BYTES_MAX;
      const ranges = isRead ? findParts(path, type, media.container) : [WHOLE];
      const [first = WHOLE] = ranges;
      if (first === WHOLE) {
        const whole = { range: own, beginSeconds: 0, span: measure(media.from(kind), path, own) };
        return new PlayedFile(path, type, kind, [whole], media);
      }
      const parts = measureParts(path, type, ranges, kind);
      media[Symbol.dispose]();
      return new PlayedFile(path, type, kind, parts, new MediaFile(path, type, first));
    } catch (error) {
      media[Symbol.dispose]();
      throw error;
    }
  }

  /** Opens the same file again, to be read beside this one. */
  beside(): PlayedFile {
    const { range } = this.parts[0] ?? { range: WHOLE };
    return new PlayedFile(
      this.#path,
      this.type,
      this.kind,
      this.parts,
      new MediaFile(this.#path, this.type, range),
    );
  }

  /** The first part's container until another part is read. */
  get container(): Container {
    return this.#part(0).container;
  }

  get seconds(): number {
    const last = this.parts.at(-1);
    return last === undefined ? 0 : last.beginSeconds + (last.span?.seconds ?? 0);
  }

  /** From the beginning to the first frame of what it is measured by. */
  get leadSeconds(): number {
    return this.parts[0]?.span?.leadSeconds ?? 0;
  }

  /** A picture or a track of a part from its beginning; this ends earlier readers. Null if it has none. */
  read(index: number, kind: 'video' | 'audio', number = 0): Reading | null {
    return this.#part(index).from(kind, number);
  }

  spanOf(index: number, picture: number): TimeSpan | null {
    const part = this.parts[index];
    if (part === undefined || (picture === 0 && this.kind === 'video')) return part?.span ?? null;
    return measure(this.read(index, 'video', picture), this.#path, part.range);
  }

  /** Where a part begins by its own clock for the listener of a track; null: with its first sound. */
  beginsAt(index: number, track: Stream): number | null {
    if (this.kind === 'video') return this.parts[index]?.span?.startSeconds ?? null;
    return soundBeginning(this.#part(index).container, track);
  }

  [Symbol.dispose](): void {
    this.#open.media[Symbol.dispose]();
  }

  #part(index: number): MediaFile {
    if (this.#open.index === index) return this.#open.media;
    const media = new MediaFile(this.#path, this.type, this.parts[index]?.range ?? WHOLE);
    this.#open.media[Symbol.dispose]();
    this.#open = { index, media };
    return media;
  }
}

/** A part lasts as long as the longer of its picture and its sound: the next one follows on both. */
function measureParts(
  path: string,
  type: MediaType,
  ranges: readonly ByteRange[],
  kind: 'video' | 'audio',
): PlayedPart[] {
  const parts: PlayedPart[] = [];
  let beginSeconds = 0;
  for (const range of ranges) {
    using media = new MediaFile(path, type, range);
    const span = measure(media.from(kind), path, range);
    parts.push({ range, beginSeconds, span });
    if (range.end === null) continue;
    const other = measure(media.from(kind === 'video' ? 'audio' : 'video'), path, range);
    beginSeconds += Math.max(span?.seconds ?? 0, other?.seconds ?? 0);
  }
  return parts;
}

function measure(reading: Reading | null, path: string, range: ByteRange): TimeSpan | null {
  if (reading === null) return null;
  const bytes = (range.end ?? statSync(path).size) - range.start;
  return measureTimeSpan(reading.container, reading.stream, bytes);
}
