/** Commands as data: a row names arguments, rpc and what it prints. A command with a course of its own is an `act`. */
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { Command, Option } from 'commander';
import { toMessage } from '../../grpc/messages.ts';
import { type AssayClient, openClient } from '../daemon/client.ts';
import { allOption, limitOption, readPages } from '../daemon/pages.ts';
import { printLine, printNote, type Terminal } from '../terminal/terminal.ts';
import { type Columns, headOf, toCells } from '../views/cells.ts';
import { toJsonLine } from '../views/message-json.ts';
import { printOutcome } from '../views/outcome.ts';
import { formatTable } from '../views/table.ts';

/** An argument: its name in a request, how help shows it, and how it is parsed. */
export type Argument = readonly [
  name: string,
  flags: string,
  about?: string | undefined,
  parse?: (value: string) => unknown,
];

/** Arguments and options by their names. */
export type Said = Readonly<Record<string, unknown>>;

interface Notes {
  /** Runs if no subcommand is named. */
  readonly isDefault?: true;
  readonly takes?: readonly Argument[];
  readonly options?: readonly Option[];
  /** What `--json` prints. */
  readonly json?: string;
}

export interface CommandRow extends Notes {
  readonly name: string;
  readonly about: string;
  readonly run: (terminal: Terminal, said: Said) => Promise<void>;
}

interface Asking<I extends DescMessage, S> extends Notes {
  /** Where it is left out, each field of the request takes the argument or option of its name. */
  readonly request?: (
    said: S,
    client: AssayClient,
    terminal: Terminal,
  ) => MessageInitShape<I> | Promise<MessageInitShape<I>>;
}

type Unary<I extends DescMessage, O extends DescMessage> = DescMethodUnary<I, O>;
type AnyUnary = Unary<DescMessage, DescMessage>;
type ListsOf<M> = { [Name in keyof M]: M[Name] extends readonly object[] ? Name : never }[keyof M] & string;
type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never;

interface Listing<I extends DescMessage, Item, S> extends Asking<I, S> {
  readonly columns?: Columns<Item>;
  /** Replaces the table: one line an item, printed as it arrives. */
  readonly line?: (item: Item) => string;
  /** Printed instead of an empty table. */
  readonly none?: string;
}

/** Lists the field `of` of the answer; one that names a next page is read page by page. */
export function listing<
  I extends DescMessage,
  O extends DescMessage,
  Of extends ListsOf<MessageShape<O>>,
  S = Said,
>(
  name: string,
  about: string,
  method: Unary<I, O>,
  of: Of,
  row: Listing<I, ItemOf<MessageShape<O>[Of]>, S>,
): CommandRow {
  const { line, none, columns = {} } = row as unknown as Listing<I, object, S>;
  const isPaged = method.output.field.nextPageToken !== undefined;
  const schema = partOf(method.output, of);
  const options = [...(row.options ?? []), ...(isPaged ? [allOption(), limitOption()] : [])];
  const run = async (terminal: Terminal, said: Said): Promise<void> => {
    using client = await openClient(terminal);
    const request = await requestOf(method, row as Asking<DescMessage, never>, { said, client, terminal });
    const read = async (page: object): Promise<{ items: object[]; nextPageToken: string }> => {
      const answer = (await client.call(method as AnyUnary, { ...request, ...page })) as unknown as Said;
      return { items: answer[of] as object[], nextPageToken: answer.nextPageToken as string };
    };
    const items = isPaged ? readPages(said as unknown as { limit: number }, read) : (await read({})).items;
    const rows: string[][] = [];
    for await (const item of items) {
      if (said.json === true) printLine(terminal, toJsonLine(schema, item as MessageShape<DescMessage>));
      else if (line !== undefined) printLine(terminal, line(item));
      else rows.push(toCells(schema, columns, item));
    }
    if (said.json === true || line !== undefined) return;
    if (rows.length === 0 && none !== undefined) printNote(terminal, none);
    else printLine(terminal, formatTable(headOf(columns), rows));
  };
  return { ...row, name, about, options, run };
}

interface Change<I extends DescMessage, Part, S> extends Asking<I, S> {
  readonly text?: (part: Part, said: S) => string;
  /** A note for a person, on standard error. */
  readonly note?: (part: Part, said: S) => string;
}

type PartsOf<M> = Exclude<keyof M, '$typeName' | '$unknown'> & string;

/** Does one thing and prints the field `of` of the answer, in words or as JSON; nothing if the answer lacks it. */
export function change<
  I extends DescMessage,
  O extends DescMessage,
  Of extends PartsOf<MessageShape<O>>,
  S = Said,
>(
  name: string,
  about: string,
  method: Unary<I, O>,
  of: Of,
  row: Change<I, NonNullable<MessageShape<O>[Of]>, S>,
): CommandRow {
  const { text, note } = row as unknown as Change<I, object, Said>;
  const run = async (terminal: Terminal, said: Said): Promise<void> => {
    const answer = await answerOf(method, row as Asking<DescMessage, never>, { said, terminal });
    const part = (answer as unknown as Record<string, MessageShape<DescMessage> | undefined>)[of];
    if (part === undefined) return;
    if (said.json === true) printLine(terminal, toJsonLine(partOf(method.output, of), part));
    else {
      if (text !== undefined) printLine(terminal, text(part, said));
      if (note !== undefined) printNote(terminal, note(part, said));
    }
  };
  return { json: `the ${of} as one line of JSON`, ...row, name, about, run };
}

interface Outcome<I extends DescMessage, Answer, S> extends Asking<I, S> {
  /** The line of JSON. */
  readonly outcome: (answer: Answer, said: S) => Readonly<Record<string, unknown>>;
  readonly text: (answer: Answer, said: S) => string;
  /** A note for a person, before the line that a script reads. */
  readonly note?: (answer: Answer, said: S) => string | undefined;
}

/** Does one thing and prints its outcome. */
export function outcome<I extends DescMessage, O extends DescMessage, S = Said>(
  name: string,
  about: string,
  method: Unary<I, O>,
  row: Outcome<I, MessageShape<O>, S>,
): CommandRow {
  const run = async (terminal: Terminal, said: Said): Promise<void> => {
    const answer = await answerOf(method, row as Asking<DescMessage, never>, { said, terminal });
    const note = said.json === true ? undefined : row.note?.(answer as MessageShape<O>, said as S);
    if (note !== undefined) printNote(terminal, note);
    const line = row.outcome(answer as MessageShape<O>, said as S);
    printOutcome(terminal, said, line, row.text(answer as MessageShape<O>, said as S));
  };
  return { ...row, name, about, run };
}

export function act<S>(
  name: string,
  about: string,
  row: Notes & { readonly run: (terminal: Terminal, said: S) => Promise<void> },
): CommandRow {
  return { ...row, name, about, run: (terminal, said) => row.run(terminal, said as S) };
}

async function answerOf(
  method: Unary<DescMessage, DescMessage>,
  row: Asking<DescMessage, never>,
  given: { said: Said; terminal: Terminal },
): Promise<MessageShape<DescMessage>> {
  using client = await openClient(given.terminal);
  return await client.call(method, await requestOf(method, row, { ...given, client }));
}

async function requestOf(
  { input }: AnyUnary,
  { request }: Asking<DescMessage, never>,
  { said, client, terminal }: { said: Said; client: AssayClient; terminal: Terminal },
): Promise<MessageInitShape<DescMessage>> {
  return request === undefined ? toMessage(input, said) : await request(said as never, client, terminal);
}

function partOf({ typeName, field }: DescMessage, name: string): DescMessage {
  const message = field[name]?.message;
  if (message === undefined) throw new Error(`${typeName} has no message ${name}`);
  return message;
}

/** A command whose subcommands are rows. */
export function commandsOf(name: string, about: string, rows: readonly CommandRow[]) {
  return (program: Command, terminal: Terminal): Command => {
    const command = program.command(name).description(about);
    for (const row of rows) addRow(command, terminal, row);
    return command;
  };
}

/** A command without subcommands. */
export const commandOf = (row: CommandRow) => (program: Command, terminal: Terminal) =>
  addRow(program, terminal, row);

export function addRow(parent: Command, terminal: Terminal, row: CommandRow): Command {
  const { name, about, isDefault = false, takes = [], options = [] } = row;
  const command = parent.command(name, { isDefault }).description(about);
  for (const [, flags, sentence = '', parse] of takes) {
    if (parse === undefined) command.argument(flags, sentence);
    else command.argument(flags, sentence, parse);
  }
  command.option('--json', row.json ?? 'the outcome as one line of JSON');
  for (const option of options) command.addOption(option);
  return command.action(async () => {
    const given = takes.map(([argument], index) => [argument, command.processedArgs[index]]);
    await row.run(terminal, { ...command.optsWithGlobals(), ...Object.fromEntries(given) });
  });
}
