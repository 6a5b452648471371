/** A child's error output, line by line, into the daemon's log. Bounded: a hostile child could fill the disk with it. */
import type { Readable } from 'node:stream';

const LINE_CHARACTERS_MAX = 2000;
/** Per child; children are recycled, so a talkative library is heard again. */
const LINES_MAX = 500;

export function forwardLines(stream: Readable, log: (line: string) => void): void {
  let rest = '';
  let count = 0;
  const emit = (line: string) => {
    if (line === '' || count > LINES_MAX) return;
    count += 1;
    log(count > LINES_MAX ? 'further output of this child is left out' : line.slice(0, LINE_CHARACTERS_MAX));
  };
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = (lines.pop() ?? '').slice(0, LINE_CHARACTERS_MAX);
    for (const line of lines) emit(line);
  });
  stream.on('end', () => emit(rest));
  // The pipe breaks when the child is killed; its exit is reported elsewhere.
  stream.on('error', () => {});
}
