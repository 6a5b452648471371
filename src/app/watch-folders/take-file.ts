/** Submits one file with its row in one transaction; the file's faults are noted, temporary obstacles stop the pass. */
import type { FileHandle } from 'node:fs/promises';
import { extname } from 'node:path';
import type { WatchedFile, WatchFolder } from '../../domain/automation/watch-folder.ts';
import { codeOf } from '../../domain/error-code.ts';
import { AppError, type Reason } from '../../domain/errors.ts';
import { FORMATS } from '../../domain/media/formats.ts';
import { HEAD_BYTES, sniffMediaType } from '../../domain/media/sniff.ts';
import { MICROSECONDS_PER_SECOND } from '../../domain/time.ts';
import { type FileLook, isSameLook, lookOf, toLook } from '../../machinery/file-look.ts';
import { sha256 } from '../../store/automation/automation-reader.ts';
import { admitMedia } from '../callers/admission.ts';
import { assertTerms, toPrincipal } from '../callers/authenticate.ts';
import type { Principal } from '../callers/principal.ts';
import { parseSidecar } from '../submissions/sidecar.ts';
import { submitMedia } from '../submissions/submit.ts';
import { receiveMedia } from '../submissions/uploads.ts';
import type { WatchFolderParts } from './parts.ts';

export interface TakeInput extends FileLook {
  folder: WatchFolder;
  /** Below the folder. */
  path: string;
  /** The bytes of the manifest beside it. */
  manifest?: Uint8Array | undefined;
  /** Opened without following a link; the caller closes it. */
  handle: FileHandle;
}

/** `changed`: it is still being written; `noted`: its row says what became of it. */
export type Taken = 'submitted' | 'changed' | 'noted';

/** Why no more files are taken for now. */
export class Obstacle extends Error {
  override readonly name = 'Obstacle';
  readonly state: 'no_credits' | 'waiting' | 'refused';
  readonly retryAfterSeconds: number;

  constructor(state: Obstacle['state'], message: string, retryAfterSeconds: number, cause?: unknown) {
    super(message, { cause });
    this.state = state;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Pauses before each retry of a file's own temporary fault, in seconds; then it has failed. */
export const RETRY_SECONDS: readonly number[] = [10, 60, 300, 1800];

/** Faults of the account, not of the file. */
const OF_ACCOUNT: readonly Reason[] = ['terms', 'read_only', 'key', 'user', 'role'];
/** Pause if the answer named no time. */
const RETRY_SECONDS_DEFAULT = 5;
/** Pause until a person has acted. */
const CREDITS_RETRY_SECONDS = 15;
/** A piece of a file that is read at once; four files are. */
const PIECE_BYTES = 256 * 1024;

/** Rejects with an Obstacle, or if `signal` aborted. */
export async function takeFile(app: WatchFolderParts, input: TakeInput, signal: AbortSignal): Promise<Taken> {
  try {
    return await take(app, input, signal);
  } catch (error) {
    signal.throwIfAborted();
    const obstacle = toObstacle(error);
    if (obstacle !== undefined) throw obstacle;
    await noteFailure(app, input, error);
    return 'noted';
  }
}

async function take(app: WatchFolderParts, input: TakeInput, signal: AbortSignal): Promise<Taken> {
  const { folder, path, handle } = input;
  if (!(await isUnchanged(input))) return 'changed';
  // Only the decode child recognises a stream without a container, or behind padding: its name is a reason to ask.
  if (sniffMediaType(await readHead(handle)) === undefined && !isNamedAsMedia(path)) {
    await note(app, input, { state: 'skipped', reason: 'it is no picture, film or sound that is known' });
    return 'noted';
  }
  const principal = ownerOf(app, folder);
  const requestId = requestIdOf(input);
  // Checked before a byte is copied: an account without credits must not have its folder read for ever.
  const intent = { purpose: 'submit', announcedBytes: input.sizeBytes, requestId } as const;
  await admitMedia(app, principal, intent);
  await app.callRates.count(principal);
  await using media = await receiveMedia(app, { principal, field: FIELD, ...bytesOf(input) }, signal);
  if (!(await isUnchanged(input))) return 'changed';
  const fields = { priority: 'batch', ...refOf(path), ...folder.options, request_id: requestId };
  const submission = {
    principal,
    facade: 'watch_folder' as const,
    kind: undefined,
    field: FIELD,
    media,
    // An empty manifest is a mistake, and differs from none.
    manifest: input.manifest && parseSidecar(input.manifest).bytes,
    fields,
  };
  await submitMedia(
    app,
    {
      ...submission,
      onRecorded: (tx, identifier) =>
        tx.automation.putWatchedFile(rowOf(app, input, { state: 'submitted', identifier, hash: media.hash })),
    },
    signal,
  );
  app.metrics.watchedFiles.inc({ state: 'submitted' });
  return 'submitted';
}

/** The field that faults of the file name. */
const FIELD = 'file';

/** Unchanged since it was looked at, and a plain file: it may have been exchanged before the opening. */
async function isUnchanged(input: TakeInput): Promise<boolean> {
  const found = await input.handle.stat({ bigint: true });
  return found.isFile() && isSameLook(toLook(found), input);
}

function isNamedAsMedia(path: string): boolean {
  const ending = extname(path).slice(1).toLowerCase();
  return FORMATS.some(({ extensions }) => extensions.includes(ending));
}

async function readHead(handle: FileHandle): Promise<Uint8Array> {
  const head = Buffer.alloc(HEAD_BYTES);
  const { bytesRead } = await handle.read(head, 0, HEAD_BYTES, 0);
  return head.subarray(0, bytesRead);
}

function bytesOf({ handle, path }: TakeInput): { name: string; bytes: AsyncIterable<Uint8Array> } {
  const bytes = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: PIECE_BYTES });
  return { name: path.split('/').at(-1) ?? path, bytes };
}

/** Its path below the folder, so that a desk finds it; a longer one has its name only. */
function refOf(path: string): { ref_id?: string } {
  return path.length <= REF_CHARACTERS_MAX ? { ref_id: path } : {};
}

const REF_CHARACTERS_MAX = 255;

/** Differs for another file, even of the same size and time, and for another rule, even one with a reused number. */
function requestIdOf(input: TakeInput): string {
  const { folder, path, sizeBytes, modifiedNs, changedNs, inode, manifest } = input;
  const beside = manifest === undefined ? [] : [sha256(manifest)];
  const look = [folder.createdAt, path, sizeBytes, modifiedNs, changedNs, inode, ...beside];
  return `watch-${folder.id}-${sha256(JSON.stringify(look))}`;
}

function ownerOf(app: WatchFolderParts, { accountId }: WatchFolder): Principal {
  const account = app.store.read.accounts.get(accountId);
  if (account === undefined || account.deletedAt !== null)
    throw new AppError('user', 'the account of this folder was deleted');
  const from = { facade: 'watch_folder', remoteAddress: '' } as const;
  const principal = toPrincipal(app, account, from, { type: 'rule' });
  assertTerms(app, principal);
  return principal;
}

/** Undefined if the file itself is at fault. */
function toObstacle(error: unknown): Obstacle | undefined {
  if (!(error instanceof AppError)) return toBoxObstacle(error);
  const { reason, code, message, retryAfterSeconds = RETRY_SECONDS_DEFAULT } = error;
  if (reason === 'credits') return new Obstacle('no_credits', message, CREDITS_RETRY_SECONDS, error);
  if (OF_ACCOUNT.includes(reason)) return new Obstacle('refused', message, CREDITS_RETRY_SECONDS, error);
  const passes = code === 'resource_exhausted' || code === 'unavailable' || code === 'deadline_exceeded';
  return passes ? new Obstacle('waiting', message, retryAfterSeconds, error) : undefined;
}

/** Faults of the box's own disk or descriptors. */
const OF_BOX: readonly string[] = ['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'];

function toBoxObstacle(error: unknown): Obstacle | undefined {
  const code = codeOf(error);
  if (!OF_BOX.includes(code)) return undefined;
  return new Obstacle('waiting', `the appliance lacks the means (${code})`, RETRY_SECONDS_DEFAULT, error);
}

async function noteFailure(app: WatchFolderParts, input: TakeInput, error: unknown): Promise<void> {
  const isFinal = error instanceof AppError && error.code !== 'internal';
  const reason = error instanceof AppError ? error.message : `it could not be read (${codeOf(error)})`;
  if (!isFinal)
    app.log.warn({ err: error, folder: input.folder.id }, 'a file of a watched folder could not be taken');
  await note(app, input, { state: 'failed', reason, ...(isFinal ? {} : nextTry(app, input)) });
}

/** For a file that is worth another try. */
function nextTry(app: WatchFolderParts, input: TakeInput): Pick<WatchedFile, 'attempts' | 'retryAt'> {
  const before = app.store.read.automation.watchedFile(input.folder.id, input.path);
  const isSame = before !== undefined && isSameLook(before, input);
  return afterFailure(app.clock.now(), isSame ? before.attempts : 0);
}

export function afterFailure(now: number, attempts: number): Pick<WatchedFile, 'attempts' | 'retryAt'> {
  const pause = RETRY_SECONDS[attempts];
  return {
    attempts: attempts + 1,
    retryAt: pause === undefined ? null : now + pause * MICROSECONDS_PER_SECOND,
  };
}

async function note(app: WatchFolderParts, input: TakeInput, row: Partial<WatchedFile>): Promise<void> {
  const file = rowOf(app, input, row);
  await app.store.transact((tx) => tx.automation.putWatchedFile(file));
  app.metrics.watchedFiles.inc({ state: file.state });
}

export function rowOf(
  { clock }: Pick<WatchFolderParts, 'clock'>,
  input: FileLook & Pick<TakeInput, 'folder' | 'path'>,
  row: Partial<WatchedFile>,
): WatchedFile {
  return {
    folderId: input.folder.id,
    path: input.path,
    ...lookOf(input),
    state: 'submitted',
    identifier: '',
    reason: '',
    attempts: 0,
    retryAt: null,
    at: clock.now(),
    missingSince: null,
    ...row,
  };
}
