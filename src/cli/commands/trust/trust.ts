import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { codeOf } from '../../../domain/error-code.ts';
import { TRUST_LIST_KINDS, type TrustListKind } from '../../../domain/provenance/trust-list.ts';
import { showText } from '../../../domain/shown-text.ts';
import {
  TrustListKind as ProtoKind,
  TrustedCertificateSchema,
  type TrustList,
  TrustListDiffSchema,
  TrustListKindSchema,
  TrustListOrigin,
  TrustListSchema,
  TrustService,
} from '../../../grpc/gen/assay/v1/trust_service_pb.ts';
import { toEnumValue } from '../../../grpc/messages.ts';
import { type AssayClient, openClient } from '../../daemon/client.ts';
import { CliFailure, EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, printNote, type Terminal } from '../../terminal/terminal.ts';
import { nameOf } from '../../views/enum-word.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { printOutcome } from '../../views/outcome.ts';
import { formatTable } from '../../views/table.ts';
import { formatTimestamp } from '../../views/timestamp.ts';
import { addRecheckCommand } from './recheck.ts';

const { method } = TrustService;
const AS_JSON = 'what was done as one line of JSON';

interface Json {
  json?: true;
}
interface AddOptions extends Json {
  name?: string;
  kind: TrustListKind;
  source?: string;
  date: string;
  terms?: string;
  single?: true;
}
interface UpdateOptions extends Json {
  file?: string;
  date?: string;
  shipped?: true;
  dropSeen?: true;
  dryRun?: true;
}

export function addTrustCommand(program: Command, terminal: Terminal): void {
  const trust = program.command('trust').description('whose signatures and time stamps in manifests count');
  trust
    .command('list', { isDefault: true })
    .description('the trust lists, with their dates and hashes')
    .option('--json', 'one list per line')
    .action((options: Json) => listLists(terminal, options));
  trust
    .command('show')
    .description('certificates of the lists, by fingerprint or a part of their names')
    .argument('<certificate>', 'SHA-256 in hex or its beginning, or a part of a name')
    .option('--json', 'one certificate per line')
    .action((text: string, options: Json) => showCertificates(terminal, text, options));
  trust
    .command('add')
    .description('add a list of your own')
    .argument('<id>', 'its name in readings: lower-case letters, digits and dashes')
    .argument('<file>', 'certificates in PEM, or conforming products as JSON')
    .requiredOption('--date <day>', 'day of its publication, YYYY-MM-DD')
    .addOption(
      new Option('--kind <kind>', 'what it vouches for').choices(TRUST_LIST_KINDS).default('signers'),
    )
    .option('--single', 'the certificates count by themselves, as those of publishers')
    .option('--name <name>', 'its full name')
    .option('--source <source>', 'where it was published')
    .option('--terms <terms>', 'under which it may be used')
    .option('--json', AS_JSON)
    .action((id: string, file: string, options: AddOptions) => addList(terminal, id, file, options));
  trust
    .command('update')
    .description('replace a list by a newer edition; refused if it drops a signer seen here')
    .argument('<id>', 'of the list')
    .option('--file <file>', 'the newer edition')
    .option('--date <day>', 'day of its publication, YYYY-MM-DD')
    .option('--shipped', 'back to the edition that came with Assay')
    .option('--drop-seen', 'also where it drops a signer of a record here')
    .option('--dry-run', 'only say what would change')
    .option('--json', AS_JSON)
    .action((id: string, options: UpdateOptions) => updateList(terminal, id, options));
  for (const [name, isOn] of [
    ['on', true],
    ['off', false],
  ] as const) {
    trust
      .command(name)
      .description(isOn ? 'switch a list on' : 'switch a list off: it vouches for no one')
      .argument('<id>', 'of the list')
      .option('--json', AS_JSON)
      .action((id: string, options: Json) => setOn(terminal, id, isOn, options));
  }
  trust
    .command('remove')
    .description('remove a list that was added')
    .argument('<id>', 'of the list')
    .option('--json', AS_JSON)
    .action((id: string, options: Json) => removeList(terminal, id, options));
  addRecheckCommand(trust, terminal);
}

async function listLists(terminal: Terminal, { json }: Json): Promise<void> {
  using client = await openClient(terminal);
  const { lists } = await client.call(method.listTrustLists, {});
  if (json === true) for (const list of lists) printLine(terminal, toJsonLine(TrustListSchema, list));
  else {
    const head = ['list', '', 'kind', 'from', 'date', 'holds', 'SHA-256', 'name'];
    printLine(terminal, formatTable(head, lists.map(describeList)));
  }
}

function describeList(list: TrustList): string[] {
  const { id, isOn, isUpdated, kind, origin, date, frozen, sha256, name } = list;
  const from = `${nameOf(TrustListOrigin, origin)}${isUpdated ? ', updated' : ''}`;
  const day = frozen === '' ? date : `${date}, frozen ${frozen}`;
  const kindName = nameOf(ProtoKind, kind);
  return [id, isOn ? 'on' : 'off', kindName, from, day, holdingsOf(list), sha256.slice(0, 16), name];
}

function holdingsOf(list: TrustList): string {
  const counts = [
    [list.authorities, 'authorities'],
    [list.singleCertificates, 'certificates that vouch for themselves alone'],
    [list.products, 'products'],
  ] as const;
  const holds = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return holds.join(', ');
}

async function showCertificates(terminal: Terminal, text: string, { json }: Json): Promise<void> {
  using client = await openClient(terminal);
  const { certificates } = await client.call(method.findTrustedCertificates, { text });
  if (certificates.length === 0) throw new CliFailure(`no list holds "${text}"`, EXIT_CODES.someFailed);
  for (const certificate of certificates) {
    if (json === true) printLine(terminal, toJsonLine(TrustedCertificateSchema, certificate));
  }
  if (json === true) return;
  const rows = certificates.map(({ list, subject, isSingle, fingerprint, validFrom, validUntil }) => [
    list,
    isSingle ? 'single' : 'authority',
    subject,
    `${formatTimestamp(validFrom)} to ${formatTimestamp(validUntil)}`,
    fingerprint,
  ]);
  printLine(terminal, formatTable(['list', '', 'subject', 'valid', 'SHA-256'], rows));
}

async function addList(terminal: Terminal, id: string, file: string, options: AddOptions): Promise<void> {
  using client = await openClient(terminal);
  const { name = '', source = file, date, terms = '', single = false } = options;
  const kind = toEnumValue(TrustListKindSchema, options.kind) as ProtoKind;
  const content = await readList(file);
  const { list } = await client.call(method.addTrustList, {
    id,
    name,
    kind,
    source,
    date,
    terms,
    content,
    single,
  });
  if (list !== undefined)
    printList(terminal, list, options, `vouches from the next file on: ${holdingsOf(list)}`);
}

async function updateList(terminal: Terminal, id: string, options: UpdateOptions): Promise<void> {
  const { file, date = '', shipped = false, dropSeen = false } = options;
  if ((file === undefined) !== shipped) {
    throw new CliFailure('expected either --file with --date, or --shipped', EXIT_CODES.usage);
  }
  using client = await openClient(terminal);
  const content = file === undefined ? new Uint8Array() : await readList(file);
  if (options.dryRun === true) return await preview(client, terminal, { id, content, ...options });
  const { list } = await client.call(method.updateTrustList, { id, content, date, dropSeen });
  if (list !== undefined)
    printList(terminal, list, options, `holds from the next file on: ${holdingsOf(list)}`);
}

async function preview(
  client: AssayClient,
  terminal: Terminal,
  { id, content, json }: { id: string; content: Uint8Array } & Json,
): Promise<void> {
  const { diff } = await client.call(method.previewTrustListUpdate, { id, content });
  if (diff === undefined) return;
  if (json === true) return printLine(terminal, toJsonLine(TrustListDiffSchema, diff));
  for (const name of diff.added) printLine(terminal, `+ ${showText(name)}`);
  for (const name of diff.removed) printLine(terminal, `- ${showText(name)}`);
  for (const name of diff.droppedSigners) {
    printLine(terminal, `! ${showText(name)} signed records here, and no list would vouch for that`);
  }
  const { addedCount, removedCount, sha256 } = diff;
  printNote(terminal, `${addedCount} added, ${removedCount} removed, SHA-256 ${sha256.slice(0, 16)}`);
}

async function setOn(terminal: Terminal, id: string, isOn: boolean, options: Json): Promise<void> {
  using client = await openClient(terminal);
  const { list } = await client.call(method.setTrustListOn, { id, isOn });
  if (list !== undefined) printList(terminal, list, options, isOn ? 'is on' : 'is off');
}

function printList(terminal: Terminal, list: TrustList, { json }: Json, what: string): void {
  if (json === true) printLine(terminal, toJsonLine(TrustListSchema, list));
  else printNote(terminal, `${list.id} (SHA-256 ${list.sha256.slice(0, 16)}) ${what}`);
}

async function removeList(terminal: Terminal, id: string, options: Json): Promise<void> {
  using client = await openClient(terminal);
  await client.call(method.removeTrustList, { id });
  printOutcome(terminal, options, { removed: id }, `${id} is removed`);
}

async function readList(file: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await readFile(file));
  } catch (error) {
    throw new CliFailure(`${file}: ${codeOf(error)}`, EXIT_CODES.usage);
  }
}
