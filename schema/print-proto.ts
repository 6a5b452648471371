/**
 * Brings proto/assay/v1 up to date with the tables of the nouns (`domain/contract`) and of the operations: each row's sentence
 * and type, a field for a new row, a message for a new noun, an rpc with request and response for a new operation, a value for
 * a new word. The numbers stand in the files alone: what has one keeps it, what has none takes the next. What no row names
 * stays as it is written there: streams, uploads, and what messages hold that is computed.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCOUNT_DETAILS, USER, USER_PRICING } from '../src/domain/contract/account.ts';
import { APPLIANCE, MODEL } from '../src/domain/contract/appliance.ts';
import { BACKUPS } from '../src/domain/contract/backups.ts';
import { DELIVERY, DELIVERY_ATTEMPT } from '../src/domain/contract/delivery.ts';
import { LEDGER_ENTRY } from '../src/domain/contract/ledger.ts';
import { PLAN } from '../src/domain/contract/plan.ts';
import { PROVENANCE_PARTS } from '../src/domain/contract/provenance-parts.ts';
import { AUDIO, FINDINGS, IMAGE, RECORD, VIDEO } from '../src/domain/contract/record.ts';
import { RECORD_PARTS } from '../src/domain/contract/record-parts.ts';
import { TRUST_PARTS } from '../src/domain/contract/trust.ts';
import { type Choice, type FieldRow, type Fields, type Noun, toSnakeCase } from '../src/domain/field.ts';
import { ANALYSIS_OPTIONS } from '../src/domain/records/analysis-options.ts';
import type { Answer, InputRow, Operation } from '../src/operations/operation.ts';
import { OPERATIONS } from '../src/operations/operations.ts';
import {
  type Block,
  commentOf,
  type Item,
  numbersOf,
  type ProtoFile,
  parseProto,
  printProto,
} from './proto-file.ts';

export const PROTO_FOLDER = join(import.meta.dirname, '..', 'proto');
const GOOGLE = { 'google.protobuf.Timestamp': 'timestamp', 'google.protobuf.Struct': 'struct' };
const SCALARS = {
  ...{ text: 'string', flag: 'bool', whole: 'int32', long: 'int64', number: 'double', identifier: 'string' },
  ...{ moment: 'google.protobuf.Timestamp', json: 'google.protobuf.Struct' },
} as const;

const NOUNS: readonly Noun[] = [
  ...[...PROVENANCE_PARTS, ...RECORD_PARTS, ...TRUST_PARTS],
  { name: 'User', fields: USER },
  USER_PRICING,
  { name: 'UpdateAccountRequest', fields: ACCOUNT_DETAILS },
  { name: 'UserFields', fields: ACCOUNT_DETAILS },
  { name: 'Plan', fields: PLAN },
  { name: 'PlanFields', fields: PLAN },
  { name: 'LedgerEntry', fields: LEDGER_ENTRY },
  { name: 'Model', fields: MODEL },
  { name: 'GetStatusResponse', fields: APPLIANCE },
  { name: 'WebhookDelivery', fields: DELIVERY },
  { name: 'DeliveryAttempt', fields: DELIVERY_ATTEMPT },
  { name: 'AnalysisOptions', fields: ANALYSIS_OPTIONS },
];

/** All files, by their paths in proto/. */
export function updateProto(): Map<string, string> {
  const paths = globSync('assay/v1/*.proto', { cwd: PROTO_FOLDER }).sort();
  const files = paths.map((path) => parseProto(path, readFileSync(join(PROTO_FOLDER, path), 'utf8')));
  new Update(files).run();
  const places = files.flatMap(({ path, blocks }) => blocks.map(({ name }) => [name, path] as const));
  const google = Object.entries(GOOGLE).map(
    ([name, file]) => [name, `google/protobuf/${file}.proto`] as const,
  );
  const fileOf = new Map([...google, ...places]);
  return new Map(files.map((file) => [file.path, printProto(file, fileOf)]));
}

const FORMS = ['PlanFields', 'UserFields', 'UpdateAccountRequest'];

/** What gRPC has no field for, or another message has. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  PlanFields: ['id'],
  Model: ['figures'],
  ListBackupsResponse: Object.keys(BACKUPS.fields).filter((name) => name !== 'backups'),
  GetSupportBundleResponse: ['bundle'],
};

const upper = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

class Update {
  readonly #files: readonly ProtoFile[];
  readonly #nouns = new Map(NOUNS.map((noun) => [noun.name, noun]));

  constructor(files: readonly ProtoFile[]) {
    this.#files = files;
  }

  run(): void {
    const operations = Object.entries<Operation>(OPERATIONS).filter(([, { rpc }]) => rpc !== null);
    for (const [index, [name, operation]] of operations.entries()) {
      this.#operation(name, operation, operations[index - 1]?.[0] ?? operations[index + 1]?.[0] ?? '');
    }
    for (const noun of this.#nouns.values()) {
      const block = this.#find(noun.message ?? noun.name)?.block;
      if (block !== undefined) this.#message(block, noun.fields);
    }
    this.#records();
  }

  /** Fields of one kind of record lie in a message of its own; those that were in the record's message before stay there. */
  #records(): void {
    const record = this.#found('Classification').block;
    const own = { ...RECORD, ...FINDINGS };
    this.#message(record, own);
    for (const [name, fields] of Object.entries({
      ImageDetail: IMAGE,
      VideoDetail: VIDEO,
      AudioDetail: AUDIO,
    })) {
      const rows = Object.entries<FieldRow>(fields);
      const isShared = ([field, row]: [string, FieldRow]): boolean =>
        itemOf(record, field, row) !== undefined;
      this.#message(record, Object.fromEntries(rows.filter(isShared)));
      this.#message(this.#found(name).block, Object.fromEntries(rows.filter((row) => !isShared(row))));
    }
  }

  #message(block: Block, fields: Fields): void {
    for (const [name, row] of Object.entries(fields)) {
      if (row.isComputed || LEFT_OUT[block.name]?.includes(name)) continue;
      const item = itemOf(block, name, row) ?? this.#addField(block, name, row);
      if (row.description) item.comment = commentOf(sentenceOf(row), '  ');
      if (item.field?.type !== 'string') this.#visit(row, block);
    }
  }

  #addField(block: Block, name: string, row: FieldRow): Item {
    const number = Math.max(0, ...numbersOf(block)) + 1;
    const { type, isList, isNullable } = row;
    const isScalar = typeof type === 'string' && type !== 'json' && type !== 'moment';
    // A form leaves absent fields as they are; in other messages an empty text means absent.
    const isOptional = FORMS.includes(block.name) || (isNullable && this.#typeOf(row) !== 'string');
    const label = isList ? 'repeated' : isScalar && isOptional ? 'optional' : '';
    const item = {
      comment: [],
      lines: [],
      field: { label, type: this.#typeOf(row), name: toSnakeCase(name), number },
    };
    block.items.push(item);
    return item;
  }

  #typeOf({ type, isNumber }: FieldRow): string {
    if (typeof type === 'string') return isNumber ? 'int64' : SCALARS[type];
    return 'choice' in type
      ? type.choice.name
      : (type.table?.message ?? this.#nouns.get(type.noun)?.message ?? type.noun);
  }

  /** Visits what a row names, too: the message of a noun and the value of a word. */
  #visit({ type }: FieldRow, holder: Block): void {
    if (typeof type === 'string') return;
    if ('choice' in type) {
      this.#words(type.choice, holder);
      return;
    }
    const noun = type.table ?? this.#nouns.get(type.noun);
    const name = noun?.message ?? type.noun;
    if (noun === undefined) return;
    const known = this.#find(name)?.block;
    const block = known ?? this.#insert({ kind: 'message', name, comment: [], items: [] }, holder.name);
    if (noun.description !== undefined) block.comment = commentOf(noun.description, '');
    if (known !== undefined && this.#nouns.has(noun.name)) return;
    this.#nouns.set(noun.name, noun);
    this.#message(block, noun.fields);
  }

  #words({ name, words }: Choice, holder: Block): void {
    const prefix = toSnakeCase(name).slice(1).toUpperCase();
    const none = { comment: [], lines: [`  ${prefix}_UNSPECIFIED = 0;`] };
    const found = this.#find(name)?.block;
    const block = found ?? this.#insert({ kind: 'enum', name, comment: [], items: [none] }, holder.name);
    const known = block.items.flatMap(({ lines }) => lines).join('\n');
    for (const word of words) {
      const value = `${prefix}_${word.replaceAll('-', '_').toUpperCase()}`;
      if (new RegExp(`\\b${value} =`).test(known)) continue;
      block.items.push({ comment: [], lines: [`  ${value} = ${Math.max(...numbersOf(block)) + 1};`] });
    }
  }

  #operation(name: string, operation: Operation, neighbour: string): void {
    const method = upper(name);
    const known = this.#rpc(method);
    if (known?.item.lines[0]?.includes('stream')) return;
    const item = known?.item ?? this.#addRpc(method, upper(neighbour));
    const { description, role, input, answer } = operation;
    if (description !== undefined) {
      item.comment = commentOf(role === 'admin' ? `${description} Administrators only.` : description, '  ');
    }
    const request = this.#find(`${method}Request`)?.block;
    const response = this.#find(`${method}Response`)?.block;
    if (request !== undefined) this.#message(request, inputRows(input));
    // An operation that was published with an empty answer keeps it.
    if (response !== undefined && (known === undefined || response.items.length > 0)) {
      this.#message(response, answerRows(answer));
    }
  }

  #addRpc(method: string, neighbour: string): Item {
    const beside = this.#rpc(neighbour);
    if (beside === undefined) throw new Error(`${method}: no rpc stands beside it; write it by hand`);
    const item = { comment: [], lines: [`  rpc ${method}(${method}Request) returns (${method}Response);`] };
    const { items } = beside.service;
    items.splice(items.indexOf(beside.item) + 1, 0, item);
    for (const part of ['Response', 'Request']) {
      this.#insert(
        { kind: 'message', name: `${method}${part}`, comment: [], items: [] },
        `${neighbour}Response`,
      );
    }
    return item;
  }

  #rpc(method: string): { service: Block; item: Item } | undefined {
    const services = this.#files.flatMap(({ blocks }) => blocks.filter(({ kind }) => kind === 'service'));
    for (const service of services) {
      const item = service.items.find(({ lines }) => lines[0]?.startsWith(`  rpc ${method}(`));
      if (item !== undefined) return { service, item };
    }
    return undefined;
  }

  #insert(block: Block, after: string): Block {
    const { file, block: holder } = this.#found(after);
    file.blocks.splice(file.blocks.indexOf(holder) + 1, 0, block);
    return block;
  }

  #found(name: string): { file: ProtoFile; block: Block } {
    const found = this.#find(name);
    if (found === undefined) throw new Error(`proto/ has no ${name}`);
    return found;
  }

  #find(name: string): { file: ProtoFile; block: Block } | undefined {
    for (const file of this.#files) {
      const block = file.blocks.find((one) => one.name === name);
      if (block !== undefined) return { file, block };
    }
    return undefined;
  }
}

function itemOf({ items }: Block, name: string, { documented = name }: FieldRow): Item | undefined {
  const names = [
    name,
    documented,
    name.replace(/^is(?=[A-Z])/, '').replace(/^./, (first) => first.toLowerCase()),
  ];
  const wire = names.map(toSnakeCase);
  return items.find(({ field }) => field !== undefined && wire.includes(field.name));
}

/** Messages have no null: a text is empty, a word unspecified, any other field absent. */
function sentenceOf({ description = '', type, isNullable, isNumber }: FieldRow): string {
  if (!isNullable) return description;
  const none =
    type === 'text' || (type === 'identifier' && !isNumber)
      ? 'empty'
      : typeof type === 'object' && 'choice' in type
        ? 'unspecified'
        : 'absent';
  return description.replace(/\bnull\b/g, none).replace(/\bNull\b/g, upper(none));
}

function inputRows(input: Readonly<Record<string, InputRow>>): Fields {
  const rows = Object.entries(input).filter(([, { form }]) => form === undefined);
  return Object.fromEntries(
    rows.map(([name, row]): [string, FieldRow] => {
      if (row.page === 'limit') return ['pageSize', { type: 'whole' }];
      return row.page === 'before' ? ['pageToken', { type: 'text' }] : [name, row];
    }),
  );
}

function answerRows({ shape, fields, page }: Answer): Fields {
  if (page !== undefined) {
    const lines = Object.entries(fields).map(([name, row]): [string, FieldRow] => [
      name,
      { ...row, isList: true },
    ]);
    return { ...Object.fromEntries(lines), nextPageToken: { type: 'text' } };
  }
  const [row] = Object.values(fields);
  if (shape !== 'itself' || typeof row?.type !== 'object' || !('noun' in row.type)) return fields;
  return row.type.table?.fields ?? {};
}

if (import.meta.main) {
  for (const [path, text] of updateProto()) writeFileSync(join(PROTO_FOLDER, path), text);
}
