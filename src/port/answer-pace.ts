/** Ends answers that a reader hardly takes; the kernel buffers up to a megabyte, so the window is longer than uploads'. */
import type { ServerResponse } from 'node:http';
import { type PaceRule, UPLOAD_BYTES_PER_SECOND_MIN } from '../app/submissions/upload-pace.ts';

const RULE: PaceRule = { bytesPerSecondMin: UPLOAD_BYTES_PER_SECOND_MIN, windowMs: 120_000 };
const LOOKS_PER_WINDOW = 12;

/** Cuts an answer that falls below its pace, until it closes. */
export function cutBelowPace(answer: ServerResponse, { bytesPerSecondMin, windowMs }: PaceRule = RULE): void {
  /** What the connection took at each look since the reader last waited for us. */
  let taken: number[] = [];
  const look = (): void => {
    const { socket } = answer;
    if (socket === null || !answer.writableNeedDrain) {
      taken = [];
      return;
    }
    taken.push(socket.bytesWritten - socket.writableLength);
    if (taken.length <= LOOKS_PER_WINDOW) return;
    const before = taken.shift() ?? 0;
    const bytes = (taken.at(-1) ?? 0) - before;
    if (bytes < (bytesPerSecondMin * windowMs) / 1000) answer.destroy();
  };
  const looking = setInterval(look, windowMs / LOOKS_PER_WINDOW).unref();
  answer.once('close', () => clearInterval(looking));
}
