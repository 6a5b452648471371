/** Lays out a report in a child process, so that neither its time nor its memory burden the daemon. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { childEntry } from '../../machinery/program-folder.ts';
import type { Pictures } from './blocks.ts';
import type { Report } from './report.ts';

export interface PdfOrder {
  report: Report;
  pictures: readonly (readonly [string, string])[];
}

const { flags: ENTRY_FLAGS, path: ENTRY_PATH } = childEntry('pdf');
/** The largest case takes some ten seconds on a quiet box. */
const PDF_TIMEOUT_MS = 180_000;
/** Enough for a case of 200 records with a page of pictures each. */
const CHILD_MEMORY_MB_MAX = 1024;
const FAULT_CHARACTERS_MAX = 2000;

/** Throws if the child fails; an abort ends it. */
export async function* writePdfReport(
  report: Report,
  pictures: Pictures,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      `--max-old-space-size=${CHILD_MEMORY_MB_MAX}`,
      ...ENTRY_FLAGS,
      ENTRY_PATH,
    ],
    // No secret of the daemon is in the child's environment.
    { env: {}, stdio: ['pipe', 'pipe', 'pipe'], timeout: PDF_TIMEOUT_MS, killSignal: 'SIGKILL', signal },
  );
  const ended = once(child, 'close');
  // Awaited below; until then a failure must not count as unhandled.
  ended.catch(() => {});
  let fault = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    fault = `${fault}${text}`.slice(0, FAULT_CHARACTERS_MAX);
  });
  // A child that died early is reported by its exit status.
  child.stdin.on('error', () => {});
  const order: PdfOrder = { report, pictures: [...pictures] };
  child.stdin.end(JSON.stringify(order));
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) yield chunk;
    const [code, killedBy] = (await ended) as [number | null, string | null];
    if (code !== 0) throw new Error(`the report could not be laid out (${code ?? killedBy}): ${fault}`);
  } finally {
    if (child.exitCode === null) child.kill('SIGKILL');
  }
}
