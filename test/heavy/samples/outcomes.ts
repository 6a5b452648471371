/** What a running daemon makes of a file: `validate`, then a full analysis. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { TestDaemon } from '../../daemon.ts';
import { KEY_HEADERS, until } from '../../faults/rounds/submissions.ts';
import type { Figures } from './tools.ts';

export interface Outcome {
  end: 'refused' | 'failed' | 'done';
  kind?: 'IMAGE' | 'VIDEO' | 'AUDIO';
  mimetype?: string;
  /** Why it was refused or failed; what `validate` says that the analysis does not. */
  why: string;
  figures: Figures;
  /** Codes of the assessment. */
  reasons: readonly string[];
}

const ANALYSIS_TIMEOUT_MS = 120_000;
const SUBMIT = `mutation ($input: SubmitMediaInput!) { submitMedia(input: $input) {
  classification { identifier kind } userErrors { message } } }`;
const READ = `query ($id: ID!) { classification(identifier: $id) {
  kind mimetype status errors assessment { reasons { code sentence } }
  ... on ImageClassification { width height }
  ... on VideoClassification { width height seconds: durationSeconds audios { identifier } }
  ... on AudioClassification { seconds: durationSeconds } } }`;

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the names that the schema promises.
type Json = any;

export async function analyse(daemon: TestDaemon, path: string): Promise<Outcome> {
  const file = new File([new Uint8Array(await readFile(path))], basename(path));
  const variables = { input: { file: null, options: { withAudio: true } } };
  const operations = JSON.stringify({ query: SUBMIT, variables });
  const submitted = await post(daemon, '/graphql', {
    operations,
    map: '{"file":["variables.input.file"]}',
    file,
  });
  const { classification: accepted, userErrors } = submitted.data.submitMedia;
  const type = (accepted?.kind ?? 'IMAGE').toLowerCase();
  const valid = await post(daemon, '/api/validate', { type, file });
  if (accepted === null) return { end: 'refused', why: userErrors[0].message, figures: {}, reasons: [] };
  const read = JSON.stringify({ query: READ, variables: { id: accepted.identifier } });
  let record: Json;
  const isEnded = async () => {
    record = (await post(daemon, '/graphql', read)).data.classification;
    return record.status !== 'NEW';
  };
  await until(isEnded, 'its end', ANALYSIS_TIMEOUT_MS);
  const { kind, mimetype, width, errors: why } = record;
  const reasons = (record.assessment?.reasons ?? []).map(({ code }: Json) => code);
  const outcome = { kind, mimetype, figures: figuresOf(record), reasons };
  if (why !== '') return { ...outcome, end: 'failed', why };
  const isSame = valid.mimetype === mimetype && (valid.width ?? undefined) === width;
  return { ...outcome, end: 'done', why: isSame ? '' : `validate says ${JSON.stringify(valid)}` };
}

/** An answer of the daemon's own making (5xx) is a fault. */
async function post(
  { http }: TestDaemon,
  way: string,
  fields: Record<string, string | File> | string,
): Promise<Json> {
  const body = typeof fields === 'string' ? new Blob([fields], { type: 'application/json' }) : new FormData();
  if (body instanceof FormData) for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const headers = { ...KEY_HEADERS, 'x-graphql-yoga-csrf': '1' };
  const response = await fetch(`${http}${way}`, { method: 'POST', headers, body });
  const text = await response.text();
  const answer = JSON.parse(text);
  if (response.status >= 500 || answer.errors !== undefined)
    throw new Error(`${way}: ${response.status} ${text}`);
  return answer;
}

function figuresOf({ kind, width, height, seconds, audios, assessment }: Json): Figures {
  const note = assessment?.reasons.find(({ code }: Json) => code === 'FIRST_PAGE_ONLY')?.sentence ?? '';
  const pages = Number(/of (\d+) pages/.exec(note)?.[1] ?? 1);
  if (kind === 'IMAGE') return { width, height, pages };
  return kind === 'AUDIO' ? { seconds } : { width, height, seconds, tracks: audios.length };
}
