/**
 * The thread of a decode child that hashes and encodes frames while the next ones are decoded. It runs no native code, so
 * that the child may end at any instant.
 */
import { Worker } from 'node:worker_threads';
import type { PerceptualHash } from '../../domain/media/perceptual-hash.ts';
import type { Picture } from '../media/picture.ts';
import { takePixels } from '../media/scratch.ts';

/** What the thread is sent; the pixels go with it. */
export interface FrameOrder {
  width: number;
  height: number;
  pixels: ArrayBuffer;
  /** Where the PNG goes. */
  path: string;
}

export interface EncodedFrame {
  /** Null if the picture is too small for one. */
  likeness: PerceptualHash | null;
  /** SHA-256 of the PNG. */
  hash: string;
  sizeBytes: number;
}

/** Lies beside this file, in the bundle too. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? 'encode-frames.ts' : 'encode-frames.js',
  import.meta.url,
);

let thread: Worker | null = null;
/** Answers come in the order of the orders. */
const waiting: PromiseWithResolvers<EncodedFrame>[] = [];

/** Takes the pixels of the picture. */
export async function encodeFrame(picture: Picture, path: string): Promise<EncodedFrame> {
  const { width, height } = picture;
  const pixels = takePixels(picture);
  const answer = Promise.withResolvers<EncodedFrame>();
  thread ??= startThread();
  waiting.push(answer);
  thread.postMessage({ width, height, pixels, path } satisfies FrameOrder, [pixels]);
  return await answer.promise;
}

/** Kept while the child lives, which it does not hold: what it has compiled serves the next film. */
function startThread(): Worker {
  const started = new Worker(THREAD);
  started.on('message', (encoded: EncodedFrame) => waiting.shift()?.resolve(encoded));
  started.on('error', (error) => {
    thread = null;
    for (const { reject } of waiting.splice(0)) reject(error);
  });
  // Last, since listening holds the child again.
  started.unref();
  return started;
}
