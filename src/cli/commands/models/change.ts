import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { Command } from 'commander';
import {
  type AddModelRequestSchema,
  type AddModelResponse,
  AddModelStage,
  ApplianceService,
  CatalogueEntrySchema,
} from '../../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { openClient } from '../../daemon/client.ts';
import { CliFailure, EXIT_CODES, toFailure } from '../../terminal/failure.ts';
import { printLine, printNote, type Terminal } from '../../terminal/terminal.ts';
import { nameOf } from '../../views/enum-word.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { type OutcomeOptions, outcomeOption, printOutcome } from '../../views/outcome.ts';
import { ProgressBars } from '../../views/progress-bars.ts';

const CHUNK_BYTES = 256 * 1024;

type AddMessage = MessageInitShape<typeof AddModelRequestSchema>;
type AddCall = ClientDuplexStream<AddMessage, AddModelResponse>;

interface Order {
  catalogueName: string;
  download: boolean;
  acceptLicence: string;
  /** Paths of the files to send. */
  files: string[];
}

interface AddOptions extends OutcomeOptions {
  file?: string;
  acceptLicence?: string;
}

export function addModelChanges(models: Command, terminal: Terminal): void {
  models
    .command('add')
    .description('add a pack (a folder) or a model of the catalogue, which the daemon downloads')
    .argument('<name>', 'a folder with model.json, or a name of the catalogue')
    .option('--file <path>', 'the model file of the catalogue, brought by hand: nothing is downloaded')
    .option('--accept-licence <name>', 'the licence of the model, if it forbids some uses')
    .addOption(outcomeOption())
    .action((name: string, options: AddOptions) => addModel(terminal, name, options));
  models
    .command('remove')
    .description('remove a model that was added; old records keep naming it')
    .argument('<id>', 'as list names it, without the version')
    .addOption(outcomeOption())
    .action((id: string, options: OutcomeOptions) => removeModel(terminal, id, options));
  models
    .command('catalogue')
    .description('models of others that can be added: licence, size, who measured what on which media')
    .option('--json', 'one model per line')
    .action((options: { json?: true }) => listCatalogue(terminal, options));
}

async function addModel(terminal: Terminal, name: string, options: AddOptions): Promise<void> {
  const { file, acceptLicence = '' } = options;
  const order: Order = { ...(await toOrder(name, file)), acceptLicence };
  using client = await openClient(terminal);
  const signal = terminal.watchInterrupt();
  const call: AddCall = client.openDuplex(ApplianceService.method.addModel);
  const cancel = () => call.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const ended = new AbortController();
  const sent = send(call, order, ended.signal);
  try {
    const model = await follow(terminal, call, name);
    printOutcome(terminal, options, { model, in_service: true }, `${model} is in service`);
  } catch (error) {
    if (signal.aborted) throw new CliFailure('interrupted; nothing was added', EXIT_CODES.interrupted);
    throw toFailure((await fileFaultOf(sent, ended)) ?? error, client.address);
  } finally {
    ended.abort();
    signal.removeEventListener('abort', cancel);
    await sent.catch(() => {});
  }
}

/** A folder is a pack; any other name is looked up in the catalogue. */
async function toOrder(name: string, file: string | undefined): Promise<Omit<Order, 'acceptLicence'>> {
  if (file !== undefined) {
    if (!(await isFile(file)))
      throw new CliFailure(`--file: expected a file, found ${file}`, EXIT_CODES.usage);
    return { catalogueName: name, download: false, files: [file] };
  }
  const found = await stat(name).catch(() => null);
  if (found === null) return { catalogueName: name, download: true, files: [] };
  const folder = name;
  if (!found.isDirectory()) {
    const hint = 'expected a folder with model.json, or a name of the catalogue with --file';
    throw new CliFailure(`${name}: ${hint}; found a file`, EXIT_CODES.usage);
  }
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'));
  return { catalogueName: '', download: false, files: files.map((entry) => join(folder, entry.name)) };
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() === true;
}

async function send(call: AddCall, order: Order, signal: AbortSignal): Promise<void> {
  const { catalogueName, download, acceptLicence, files } = order;
  const write = async (message: AddMessage) => {
    signal.throwIfAborted();
    if (!call.write(message)) await once(call, 'drain', { signal });
  };
  try {
    await write({ payload: { case: 'header', value: { catalogueName, download, acceptLicence } } });
    for (const path of files) {
      await write({ payload: { case: 'file', value: { name: basename(path) } } });
      for await (const bytes of createReadStream(path, { highWaterMark: CHUNK_BYTES, signal })) {
        await write({ payload: { case: 'chunk', value: bytes } });
      }
    }
    await write({ payload: { case: 'commit', value: {} } });
    call.end();
  } catch (error) {
    // The daemon drops an upload that is not committed.
    call.cancel();
    throw error;
  }
}

/** A file that could not be read is the cause; the cancelled call only follows from it. */
async function fileFaultOf(sent: Promise<void>, ended: AbortController): Promise<unknown> {
  ended.abort();
  const fault: unknown = await sent.catch((error: unknown) => error);
  return fault instanceof Error && 'syscall' in fault ? fault : undefined;
}

const STAGES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    receive: 'sending it to the daemon',
    download: 'the daemon downloads it',
    test: 'the daemon tries it',
  }),
);

async function follow(terminal: Terminal, call: AddCall, name: string): Promise<string> {
  using bars = await ProgressBars.open(terminal);
  const bar = bars.add(name);
  let stage = AddModelStage.UNSPECIFIED;
  for await (const step of call) {
    const text = STAGES.get(nameOf(AddModelStage, step.stage)) ?? '';
    if (step.stage !== stage && text !== '' && !bars.log(text)) printNote(terminal, text);
    stage = step.stage;
    if (step.doneBytes > 0n) bar.showUpload(Number(step.doneBytes), Number(step.totalBytes));
    if (step.model !== '') return step.model;
  }
  throw new CliFailure('the daemon did not say that the model is in service', EXIT_CODES.someFailed);
}

async function removeModel(terminal: Terminal, id: string, options: OutcomeOptions): Promise<void> {
  using client = await openClient(terminal);
  await client.call(ApplianceService.method.removeModel, { id });
  printOutcome(terminal, options, { id, removed: true }, `${id} is removed`);
}

async function listCatalogue(terminal: Terminal, { json }: { json?: true }): Promise<void> {
  using client = await openClient(terminal);
  const { entries } = await client.call(ApplianceService.method.listCatalogue, {});
  if (json === true) {
    for (const entry of entries) printLine(terminal, toJsonLine(CatalogueEntrySchema, entry));
    return;
  }
  for (const entry of entries) {
    const { name, title, task, family, licence, licenceAccept, homepage, address, installed } = entry;
    const size = entry.sizeBytes === 0n ? `at most ${entry.bytesMax}` : String(entry.sizeBytes);
    const rows = [
      ['judges', task],
      ['licence', licenceAccept === '' ? licence : `${licence}; name it: --accept-licence ${licenceAccept}`],
      ['size', `${size} bytes`],
      ...entry.measured.map((sentence, index) => [index === 0 ? 'measured' : '', sentence]),
      ...(family === '' ? [] : [['family', `${family}: its models have one voice`]]),
      ['from', address],
      ['about', homepage],
    ];
    printLine(terminal, `${name}  ${title}${installed ? ' (installed)' : ''}`);
    for (const [head = '', text = ''] of rows) printLine(terminal, `  ${head.padEnd(9)} ${text}`);
    printLine(terminal, '');
  }
  printNote(terminal, 'assay models add NAME fetches one and tries it; nothing is fetched before');
}
