/** Files on their way, a few at a time. Lives beside the pages, so that looking at another one stops nothing. */
import {
  type AnalysisOptionsInput,
  FOLLOW_RECORDS,
  type ListedRecord,
  READ_LISTED,
  SUBMIT_MEDIA,
  type SubmitMediaAnswer,
  type SubmitMediaInput,
} from '../gen/documents.ts';
import {
  ApiError,
  ask,
  type GraphqlAnswer,
  payloadOf,
  readAnswer,
  sentenceOf,
  session,
} from '../parts/api.ts';
import { comebacks, follow } from '../parts/live.ts';
import { Cell } from '../state/cell.ts';
import { t } from '../texts/language.ts';
import { RESUMABLE_BYTES_MIN, ResumableUpload } from './resumable.ts';

export interface SubmitOptions {
  refId: string;
  noCache: boolean;
  /** Empty: the first of the reader's desks; `0`: none. */
  deskId: string;
  options: AnalysisOptionsInput;
}

export interface Upload {
  id: number;
  name: string;
  /** Null for an address, which the appliance fetches itself. */
  file: File | null;
  /** A manifest beside the file. */
  manifest: File | null;
  fileUrl: string | null;
  submission: SubmitOptions;
  state: 'waiting' | 'sending' | 'accepted' | 'refused' | 'stopped' | 'paused';
  sentShare: number;
  identifier: string | null;
  fault: string;
}

export const uploads = new Cell<readonly Upload[]>([]);
/** The newest state of every record that was heard of since the page was opened. */
export const heard = new Cell<ReadonlyMap<string, ListedRecord>>(new Map());

/** A page that is open for a week forgets the oldest ended records, not those still at work. */
const HEARD_MAX = 5000;
/** The daemon takes more at once, but they would share one connection. */
const SENDING_MAX = 2;

const requests = new Map<number, XMLHttpRequest>();
const resumables = new Map<number, ResumableUpload>();
let lastId = 0;
let isFollowing = false;

export function addUploads(
  sources: readonly { file?: File; manifest?: File | null; fileUrl?: string; name: string }[],
  submission: SubmitOptions,
): void {
  if (!isFollowing) {
    isFollowing = true;
    follow(FOLLOW_RECORDS, {}, ({ classifications }) => hear(classifications, true));
    comebacks.follow(() => void catchUp());
  }
  const added = sources.map(({ file = null, manifest = null, fileUrl = null, name }): Upload => {
    lastId += 1;
    const start = { state: 'waiting', sentShare: 0, identifier: null, fault: '' } as const;
    return { id: lastId, name, file, manifest, fileUrl, submission, ...start };
  });
  uploads.set([...added, ...uploads.get()]);
  sendNext();
}

export function stopUpload(id: number): void {
  const resumable = resumables.get(id);
  put(id, { state: resumable === undefined ? 'stopped' : 'paused' });
  resumable?.pause();
  requests.get(id)?.abort();
  sendNext();
}

/** What is sent by pieces brings no manifest. */
export function canPause({ file, manifest }: Upload): boolean {
  return file !== null && manifest === null && file.size >= RESUMABLE_BYTES_MIN;
}

/** A paused upload goes on where it was, any other begins anew. */
export function sendAgain(id: number): void {
  const isPaused = uploads.get().find((upload) => upload.id === id)?.state === 'paused';
  if (!isPaused) resumables.delete(id);
  put(id, { state: 'waiting', fault: '', ...(isPaused ? {} : { sentShare: 0 }) });
  sendNext();
}

/** Whether it was sent and its record has come to an end; one that is heard of no more ended long ago. */
export function isJudged({ state, identifier }: Upload): boolean {
  return state === 'accepted' && heard.get().get(identifier ?? '')?.status !== 'NEW';
}

export function wasRefused({ state }: Upload): boolean {
  return state === 'refused' || state === 'stopped';
}

export function clearEnded(): void {
  uploads.set(uploads.get().filter((upload) => !isJudged(upload) && !wasRefused(upload)));
}

function put(id: number, part: Partial<Upload>): void {
  uploads.set(uploads.get().map((upload) => (upload.id === id ? { ...upload, ...part } : upload)));
}

/** A record of the subscription is newer than the answer to the submission. */
function hear(record: ListedRecord, isNewer: boolean): void {
  if (!isNewer && heard.get().has(record.identifier)) return;
  const next = new Map(heard.get()).set(record.identifier, record);
  const ended = next.size > HEARD_MAX ? [...next.values()].find(({ status }) => status !== 'NEW') : undefined;
  if (ended !== undefined) next.delete(ended.identifier);
  heard.set(next);
}

/** What became of the records that were at work when the line broke. */
async function catchUp(): Promise<void> {
  const open = [...heard.get().values()].filter(({ status }) => status === 'NEW');
  for (const { identifier } of open) {
    const found = await ask(READ_LISTED, { identifier }).catch(() => null);
    if (found !== null) hear(found.classification, true);
  }
}

function sendNext(): void {
  const all = uploads.get();
  const room = SENDING_MAX - all.filter(({ state }) => state === 'sending').length;
  const waiting = all.filter(({ state }) => state === 'waiting').reverse();
  for (const upload of waiting.slice(0, Math.max(0, room))) void send(upload);
}

async function send(upload: Upload): Promise<void> {
  const { id } = upload;
  put(id, { state: 'sending' });
  try {
    const classification = await (canPause(upload) ? sendResumable(upload) : sendWhole(upload));
    resumables.delete(id);
    hear(classification, false);
    put(id, { state: 'accepted', sentShare: 1, identifier: classification.identifier });
  } catch (error) {
    if (uploads.get().find((one) => one.id === id)?.state === 'sending') {
      put(id, { state: 'refused', fault: sentenceOf(error) });
    }
  } finally {
    requests.delete(id);
    sendNext();
  }
}

async function sendWhole(upload: Upload): Promise<ListedRecord> {
  const data = readAnswer(await post(upload));
  return payloadOf(data as SubmitMediaAnswer).classification;
}

async function sendResumable(upload: Upload): Promise<ListedRecord> {
  const { id, file, submission } = upload;
  if (file === null) throw new Error('only a file is sent by pieces');
  const fields = { ...submission.options, ...toFields(submission) };
  const resumable =
    resumables.get(id) ?? new ResumableUpload(file, fields, (sentShare) => put(id, { sentShare }));
  resumables.set(id, resumable);
  const identifier = await resumable.run();
  const { classification } = await ask(READ_LISTED, { identifier });
  return classification;
}

/** By XMLHttpRequest, because fetch does not report how much was sent. */
function post(upload: Upload): Promise<GraphqlAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<GraphqlAnswer>();
  const request = new XMLHttpRequest();
  requests.set(upload.id, request);
  request.open('POST', '/graphql');
  request.setRequestHeader('x-assay-csrf', session.get()?.csrfToken ?? '');
  request.responseType = 'json';
  request.upload.onprogress = ({ loaded, total }) =>
    put(upload.id, { sentShare: total === 0 ? 0 : loaded / total });
  request.onload = () =>
    request.response === null
      ? reject(new ApiError(`HTTP ${request.status}`, { code: String(request.status) }))
      : resolve(request.response as GraphqlAnswer);
  request.onerror = () => reject(new ApiError(t('brokenOff'), { code: 'UNREACHABLE' }));
  request.onabort = () => reject(new ApiError(t('stopped'), { code: 'CANCELLED' }));
  const body = bodyOf(upload);
  if (typeof body === 'string') request.setRequestHeader('content-type', 'application/json');
  request.send(body);
  return promise;
}

/** The fields of a submission beside the options. */
export function toFields({
  refId,
  noCache,
  deskId,
}: SubmitOptions): Pick<SubmitMediaInput, 'noCache' | 'refId' | 'deskId'> {
  return { noCache, ...(refId === '' ? {} : { refId }), ...(deskId === '' ? {} : { deskId }) };
}

/** The manifest goes first: it is small, and is kept until the file has come. */
function bodyOf({ file, manifest, fileUrl, submission, name }: Upload): FormData | string {
  const input: SubmitMediaInput = { options: submission.options, ...toFields(submission) };
  if (file === null)
    return JSON.stringify({ query: SUBMIT_MEDIA, variables: { input: { ...input, fileUrl } } });
  const form = new FormData();
  const empty = manifest === null ? { file: null } : { manifest: null, file: null };
  form.set(
    'operations',
    JSON.stringify({ query: SUBMIT_MEDIA, variables: { input: { ...input, ...empty } } }),
  );
  const names = Object.keys(empty);
  form.set(
    'map',
    JSON.stringify(Object.fromEntries(names.map((field, at) => [at, [`variables.input.${field}`]]))),
  );
  if (manifest !== null) form.set('0', manifest, manifest.name);
  form.set(String(names.length - 1), file, name);
  return form;
}
