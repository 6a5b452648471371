import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describeStartFailure } from '../../../domain/operator-fault.ts';
import { showText } from '../../../domain/shown-text.ts';
import { type Classification, Status } from '../../../grpc/gen/assay/v1/classification_pb.ts';
import { PROGRAM_FOLDER } from '../../../machinery/program-folder.ts';
import type { Daemon } from '../../../serve.ts';
import { findApiKey } from '../../daemon/api-key.ts';
import { findChannel } from '../../daemon/channel.ts';
import { AssayClient, openClient } from '../../daemon/client.ts';
import { listMediaSources, type MediaSource } from '../../daemon/media-files.ts';
import { toHeader } from '../../daemon/media-options.ts';
import { ResumableUpload } from '../../daemon/resume.ts';
import { forEachBounded } from '../../terminal/bounded.ts';
import { CliFailure, EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, printNote, type Terminal } from '../../terminal/terminal.ts';
import { NO_BAR } from '../../views/progress-bars.ts';
import { describeRecord, toRecordJson } from '../../views/record-view.ts';
import { classifyFile, Interrupted } from '../classify-file.ts';
import { withRetries } from '../retries.ts';

/** What each file is, in the order in which the demo judges them. */
export const DEMO_MEDIA = {
  'camera-signed.jpg': 'a drawn scene, signed by a test authority as a camera signs what it captured',
  'generator-signed.jpg': 'a drawn scene, signed by a test authority as a generator signs its picture',
  'changed-after-signing.jpg': 'the picture of the camera, with a byte changed after it was signed',
  'copy-without-signature.jpg': 'the picture of the camera, saved again smaller: its signature is lost',
  'declared-generated.jpg': 'a drawn scene whose unsigned metadata declare a generator',
  'drawing.png': 'a drawing of coloured shapes, made by a program of ours',
  'grain.jpg': 'a drawn sky with grain, like a photograph out of focus',
  'screenshot.webp': 'a screenshot of Assay’s own page',
  'film.mp4': 'a film of two seconds: a drawn scene that moves',
  'generator-signed-film.mp4': 'the same film, signed by a test authority as a generator signs it',
  'synthesised-speech.ogg': 'two sentences by the speech synthesiser espeak-ng: no person speaks',
  'tones.flac': 'three tones of a chord: no voice',
} as const;

export type DemoFile = keyof typeof DEMO_MEDIA;

/** The root certificate of the demo's signers; its key was thrown away. */
export const DEMO_AUTHORITY = 'authority.pem';

const MEDIA_FOLDER = join(PROGRAM_FOLDER, 'examples', 'demo');
const WHAT: ReadonlyMap<string, string> = new Map(Object.entries(DEMO_MEDIA));
const JOBS = 4;
/** The demo takes a minute on two cores; a box slower than this is too slow for Assay. */
const MINUTES_MAX = 10;
/** Settings of the environment that the demo's daemon keeps: without them it would not start, or use other models. */
const KEPT_SETTINGS = ['ASSAY_DECODE_ISOLATION', 'ASSAY_MODELS_FOLDERS'];
const REF_ID = 'assay demo';

interface DemoOptions {
  once?: true;
  here?: true;
  json?: true;
}

interface Run {
  terminal: Terminal;
  options: DemoOptions;
  interrupted: AbortSignal;
}

export function addDemoCommand(program: Command, terminal: Terminal): void {
  program
    .command('demo')
    .description('judge the small media that come with Assay, by a daemon of its own on a temporary folder')
    .option('--once', 'end as soon as all are judged; otherwise its page is served until Ctrl-C')
    .option('--here', `submit them to the running daemon instead, under the reference '${REF_ID}'`)
    .option('--json', 'one record per line')
    .action((options: DemoOptions) => demo({ terminal, options, interrupted: terminal.watchInterrupt() }));
}

async function demo(run: Run): Promise<void> {
  if (run.options.here === true) {
    using client = await openClient(run.terminal);
    await judgeAll(run, client);
    return;
  }
  // Removed after the daemon is closed.
  await using folder = await mkdtempDisposable(join(tmpdir(), 'assay-demo-'));
  await using daemon = await openDaemon(run.terminal.env, folder.path);
  const env = { ASSAY_ADDRESS: daemon.grpc.address, ASSAY_DATA_DIR: folder.path };
  using client = new AssayClient(await findChannel(env), await findApiKey(env));
  await judgeAll(run, client);
  if (run.options.once === true || run.interrupted.aborted) return;
  printNote(run.terminal, `Open: ${daemon.http.url}/`);
  if (daemon.passwordLink !== null) printNote(run.terminal, `Sign in (once): ${daemon.passwordLink}`);
  printNote(run.terminal, 'Ctrl-C ends the demo and removes its records');
  await once(run.interrupted, 'abort');
}

async function openDaemon(env: Terminal['env'], folder: string): Promise<Daemon> {
  // Loaded only here: `--here` needs no database and no models.
  const { openBriefly } = await import('../../../serve.ts');
  const others = Object.entries(env).filter(
    ([name]) => !name.startsWith('ASSAY_') || KEPT_SETTINGS.includes(name),
  );
  try {
    return await openBriefly({
      ...Object.fromEntries(others),
      ASSAY_DATA_DIR: folder,
      ASSAY_LOG_LEVEL: 'error',
      ASSAY_HTTP_LISTEN: '127.0.0.1:0',
      ASSAY_GRPC_LISTEN: '127.0.0.1:0',
      ASSAY_PROVENANCE_TRUST_ANCHORS_FILE: join(MEDIA_FOLDER, DEMO_AUTHORITY),
    });
  } catch (error) {
    throw new CliFailure(describeStartFailure(error), EXIT_CODES.someFailed, { cause: error });
  }
}

async function judgeAll(run: Run, client: AssayClient): Promise<void> {
  const paths = Object.keys(DEMO_MEDIA).map((name) => join(MEDIA_FOLDER, name));
  const late = AbortSignal.timeout(MINUTES_MAX * 60_000);
  const signal = AbortSignal.any([run.interrupted, late]);
  const sources = listMediaSources(paths, { stdinName: '', counts: { skipped: 0 } });
  try {
    await forEachBounded(sources, JOBS, (source) => report(run, client, source, signal));
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    if (run.interrupted.aborted) run.terminal.setExitCode(EXIT_CODES.interrupted);
    else throw new CliFailure(`expected the demo's end within ${MINUTES_MAX} minutes`, EXIT_CODES.someFailed);
  }
}

/** Throws only faults that make the other files pointless. */
async function report(
  { terminal, options }: Run,
  client: AssayClient,
  source: MediaSource,
  signal: AbortSignal,
): Promise<void> {
  try {
    const record = await judge(terminal, client, source, signal);
    if (record.status !== Status.DONE) terminal.setExitCode(EXIT_CODES.someFailed);
    printLine(terminal, options.json === true ? JSON.stringify(toRecordJson(record)) : describe(record));
  } catch (error) {
    if (!(error instanceof CliFailure) || error.isFatal || error instanceof Interrupted) throw error;
    terminal.setExitCode(EXIT_CODES.someFailed);
    printNote(terminal, `${showText(source.name)}: ${showText(error.message)}`);
  }
}

async function judge(
  terminal: Terminal,
  client: AssayClient,
  source: MediaSource,
  interrupted: AbortSignal,
): Promise<Classification> {
  if (source.type === 'missing') throw source.failure;
  const header = toHeader({ cache: true, refId: REF_ID, withHeatmap: true });
  const upload = new ResumableUpload(client, source);
  return await withRetries(interrupted, true, () =>
    classifyFile(client, { upload, source, header, bar: NO_BAR, stdin: terminal.stdin, interrupted }),
  );
}

/** One line: the file, its true origin, Assay's answer, and what its signature says. */
function describe(record: Classification): string {
  const { answer, chance } = describeRecord(record);
  const models = chance === '' ? '' : `, ${chance} chance of AI by the models`;
  return `${record.name} (${WHAT.get(record.name)}): ${answer}${models}; ${describeSignature(record)}`;
}

function describeSignature({ provenance }: Classification): string {
  const sentence = provenance?.sentence?.en;
  if (sentence === undefined) return 'no signature';
  const steps = provenance?.manifests.find(({ isActive }) => isActive)?.steps ?? [];
  const origins = steps.flatMap(({ sourceTypeWords }) => sourceTypeWords?.en ?? []);
  return [`signature: ${sentence}`, ...origins.map((origin) => `It declares: ${origin}.`)].join(' ');
}
