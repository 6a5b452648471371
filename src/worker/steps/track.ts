/** The track from the video's beginning: a FLAC file, a recording with a hash of its own, and samples for the models. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { FlacFile } from '../libav/flac-file.ts';
import type { PlayedFile } from '../libav/played-file.ts';
import { MediaFaultFound } from '../media/media-fault.ts';
import type { DecodedTrack } from '../protocol/decoded-media.ts';
import { decodeSound } from './sound.ts';

const TRACK_FILE = 'track.flac';

export interface TrackWork {
  file: PlayedFile;
  outFolder: string;
  secondsMax: number;
  onProgress: (seconds: number) => void;
}

/** Null if the track cannot be decoded: the pictures are there all the same. */
export async function decodeTrack(work: TrackWork): Promise<DecodedTrack | null> {
  const path = join(work.outFolder, TRACK_FILE);
  let flac: FlacFile | null = null;
  try {
    const { sound } = decodeSound({
      ...work,
      isLongRefused: false,
      onFrame: ({ frame, silentSeconds }) => {
        flac ??= new FlacFile(path, frame);
        if (silentSeconds > 0) flac.rest(silentSeconds);
        flac.write(frame);
      },
    });
    finish(flac);
    return { file: TRACK_FILE, ...(await hashFile(path)), sound };
  } catch (error) {
    if (error instanceof MediaFaultFound) return null;
    throw error;
  } finally {
    dispose(flac);
  }
}

function finish(flac: FlacFile | null): void {
  if (flac === null) throw new Error('a track was decoded without a frame');
  flac.finish();
}

function dispose(flac: FlacFile | null): void {
  flac?.[Symbol.dispose]();
}

/** A track may be larger than the child should hold. */
async function hashFile(path: string): Promise<{ hash: string; sizeBytes: number }> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    hash.update(piece);
    sizeBytes += piece.length;
  }
  return { hash: hash.digest('hex'), sizeBytes };
}
