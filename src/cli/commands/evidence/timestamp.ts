import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { codeOf } from '../../../domain/error-code.ts';
import { formatTime } from '../../../domain/time.ts';
import {
  type AddedTimestamps,
  openStampable,
  planTimestamps,
  type StampablePackage,
  withMembers,
} from '../../../evidence/add-members.ts';
import {
  judgeTimestamp,
  readRoots,
  TimestampError,
  toTimestampQuery,
} from '../../../evidence/timestamps/timestamp.ts';
import { EvidenceService } from '../../../grpc/gen/assay/v1/evidence_service_pb.ts';
import { askAuthority, isAuthorityAddress, NoReplyError } from '../../../machinery/timestamp-authority.ts';
import { openClient } from '../../daemon/client.ts';
import { CliFailure, EXIT_CODES, throwIfInterrupted } from '../../terminal/failure.ts';
import { PartialFile } from '../../terminal/partial-file.ts';
import { printLine, printNote, type Terminal } from '../../terminal/terminal.ts';

interface TimestampOptions {
  authority?: string;
  token?: string;
  tsaCa?: string;
  output?: string;
  json?: true;
}

export function addTimestampCommand(evidence: Command, terminal: Terminal): void {
  evidence
    .command('timestamp')
    .description(
      'add tokens of timestamp authorities to a package: those that the box has got, or one from elsewhere',
    )
    .argument('<package>', 'the zip')
    .option('--authority <url>', 'ask this authority (RFC 3161), from here: needs no daemon')
    .option('--token <file>', 'a reply of an authority that you have asked yourself: needs no daemon')
    .option(
      '--tsa-ca <file>',
      'root certificates (PEM) that it must lead to; they are put into the package too',
    )
    .option('-o, --output <file>', 'another file; without it the package itself is written anew')
    .option('--json', 'what was added as one line of JSON')
    .action((path: string, options: TimestampOptions) => runTimestamp(terminal, path, options));
}

async function runTimestamp(terminal: Terminal, path: string, options: TimestampOptions): Promise<void> {
  if (options.authority !== undefined && options.token !== undefined) {
    throw new CliFailure('give --authority or --token, not both', EXIT_CODES.usage);
  }
  const rootsPem = options.tsaCa === undefined ? null : await readRootsFile(options.tsaCa);
  const signal = terminal.watchInterrupt();
  const stampable = await orFailure(path, () => openStampable(path));
  const { replies, waiting } = await repliesFor(terminal, stampable, options, signal);
  const from = options.token ?? options.authority ?? 'a token of the box';
  const added = await orFailure(from, () => planTimestamps(stampable, replies, rootsPem));
  const output = options.output ?? path;
  if (added.members.size > 0) await write(path, added, output, signal);
  report(terminal, options, output, added);
  for (const { authority, error } of waiting) {
    printNote(terminal, `No token of ${authority} yet${error === '' ? '' : `: ${error}`}`);
  }
}

interface Replies {
  replies: Uint8Array[];
  /** Authorities without a token so far, each with its error. */
  waiting: readonly { authority: string; error: string }[];
}

async function repliesFor(
  terminal: Terminal,
  { signature: bytes, packageSha256 }: StampablePackage,
  { authority, token }: TimestampOptions,
  signal: AbortSignal,
): Promise<Replies> {
  if (token !== undefined) return { replies: [await readGiven(token)], waiting: [] };
  if (authority === undefined) {
    using client = await openClient(terminal);
    const { timestamps } = await client.call(EvidenceService.method.getPackageTimestamps, { packageSha256 });
    const replies = timestamps.flatMap(({ reply }) => (reply.length === 0 ? [] : reply));
    return { replies, waiting: timestamps.filter(({ reply }) => reply.length === 0) };
  }
  if (!isAuthorityAddress(authority)) {
    const expected = '--authority: expected an address like https://time.example.org/tsa';
    throw new CliFailure(`${expected}, found ${authority}`, EXIT_CODES.usage);
  }
  const { query, nonce } = toTimestampQuery(bytes);
  return await orFailure(authority, async () => {
    const reply = await askAuthority({ url: authority, query, allowNetworks: [] }, signal);
    await judgeTimestamp(reply, { bytes, nonce, rootsPem: null });
    return { replies: [reply], waiting: [] };
  });
}

async function write(
  path: string,
  { members }: AddedTimestamps,
  output: string,
  signal: AbortSignal,
): Promise<void> {
  await using file = output === path ? await PartialFile.replace(output) : await PartialFile.create(output);
  for await (const chunk of withMembers(path, members)) {
    throwIfInterrupted(signal);
    await file.write(chunk);
  }
  await file.keep();
}

function report(
  terminal: Terminal,
  { json }: TimestampOptions,
  path: string,
  { timestamps }: AddedTimestamps,
): void {
  const added = timestamps.map(({ member, timestamp }) => ({
    member,
    ...timestamp,
    time: formatTime(timestamp.time),
  }));
  if (json === true) {
    printLine(terminal, JSON.stringify({ path, added }));
    return;
  }
  for (const { member, time, authority } of added)
    printLine(terminal, `Stamped: ${time} by ${authority} (${member})`);
  if (added.length === 0)
    printLine(terminal, 'Nothing was added: no token that is not in the package already.');
}

/** PEM of at least one certificate. */
export async function readRootsFile(path: string): Promise<string> {
  const pem = (await readGiven(path)).toString('utf8');
  await orFailure(path, async () => readRoots(pem));
  return pem;
}

async function readGiven(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new CliFailure(`${path} cannot be read: ${codeOf(error)}`, EXIT_CODES.usage, { cause: error });
  }
}

/** Reports a fault of a file or an authority with its name. */
async function orFailure<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    const isOurs = error instanceof TimestampError || error instanceof NoReplyError;
    const message = isOurs
      ? `${name}: ${error.message}`
      : `${name} cannot be read: ${(error as Error).message}`;
    throw new CliFailure(message, EXIT_CODES.someFailed, { cause: error });
  }
}
