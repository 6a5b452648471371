/** Files of every kind for a front, and what the stores of two daemons say of them. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Analysis } from '../../../src/domain/records/classification.ts';
import { Store } from '../../../src/store/store.ts';
import { TestDaemon } from '../../daemon.ts';
import { distinctPicture, KEY_HEADERS, metricOf, until } from '../../faults/rounds/submissions.ts';
import { makeClip, makeSpeech } from '../../interface/media.ts';
import type { Random } from '../random.ts';
import type { Fleet } from './fleet.ts';

export interface Sample {
  kind: 'image' | 'audio' | 'video';
  bytes: Buffer;
}

export interface Submitted {
  kind: Sample['kind'];
  identifier: string;
}

const WAYS = {
  image: 'classification',
  audio: 'classification_audio',
  video: 'classification_video',
} as const;
const SIDES = [200, 240, 320, 640];
const ADMIN_ID = 1;
const RECORDS_MAX = 1_000_000;
const SHOWN_BEFORE = 60;
const SHOWN_AFTER = 30;
const READY_TIMEOUT_MS = 300_000;
const END_TIMEOUT_MS = 600_000;

/** Mostly pictures, some recordings, few films. */
export async function makeSample(random: Random): Promise<Sample> {
  const drawn = random.next();
  if (drawn < 0.05) return { kind: 'video', bytes: makeClip() };
  if (drawn < 0.2) return { kind: 'audio', bytes: makeSpeech({ seconds: random.whole(3, 6) }) };
  const bytes = await distinctPicture(random.whole(1, 1_000_000), random.pick(SIDES));
  return { kind: 'image', bytes };
}

const hashOf = ({ bytes }: Sample): string => createHash('sha256').update(bytes).digest('hex');

/** The identifier. Throws where it was not accepted. */
export async function submit({ http }: Pick<TestDaemon, 'http'>, { kind, bytes }: Sample): Promise<string> {
  const body = new FormData();
  body.set(kind, new Blob([Uint8Array.from(bytes)]), 'file');
  const response = await fetch(`${http}/api/${WAYS[kind]}`, { method: 'POST', headers: KEY_HEADERS, body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`refused: ${response.status} ${text}`);
  return text;
}

/** `new` until it has ended. */
export async function statusOf(
  { http }: Pick<TestDaemon, 'http'>,
  { kind, identifier }: Submitted,
): Promise<string> {
  const response = await fetch(`${http}/api/${WAYS[kind]}/${identifier}`, { headers: KEY_HEADERS });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`no record: ${response.status} ${text}`);
  return JSON.parse(text).status;
}

/** Times differ from run to run, and identifiers are made for each. */
function figuresOf({ state, result, modelDigests }: Analysis): string {
  const own = ['elapsedSeconds', 'identifier'];
  const plain = (key: string, value: unknown): unknown => {
    if (own.includes(key)) return undefined;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  };
  return JSON.stringify({ state, result, modelDigests }, plain);
}

/** Around the first place where two texts differ. */
function difference(there: string, here: string): string {
  const at = Array.from(there).findIndex((letter, index) => letter !== here[index]);
  const part = (text: string) => text.slice(Math.max(0, at - SHOWN_BEFORE), at + SHOWN_AFTER);
  return `there ${part(there)}, here ${part(here)}`;
}

interface Ended {
  figures: string;
  attempts: number;
  state: string;
  error: string;
}

/** Every analysis of a data folder by its file's hash; the daemon must not run. */
async function readEnds(folder: string): Promise<Map<string, Ended>> {
  await using store = await Store.open({ folder });
  const { read } = store;
  const records = read.records.list({ accountId: ADMIN_ID, limit: RECORDS_MAX });
  const ends = new Map<string, Ended>();
  for (const { hash, analysisId } of records) {
    const analysis = read.analyses.get(analysisId);
    if (analysis === undefined) continue;
    const { attempts, state, error } = analysis;
    ends.set(hash, { figures: figuresOf(analysis), attempts, state, error });
  }
  return ends;
}

export async function awaitIdle(daemon: TestDaemon): Promise<void> {
  const isIdle = async () =>
    (await metricOf(daemon, 'assay_queue_depth')) + (await metricOf(daemon, 'assay_analyses_running')) === 0;
  await until(isIdle, 'all that was accepted to end', END_TIMEOUT_MS);
}

export interface Comparison {
  compared: number;
  /** Files that cost more than one attempt. */
  retried: number;
  problems: string[];
}

/** What the front has of each file against what a daemon without workers says of it; the front must not run. */
export async function compareWithHome(fleet: Fleet, samples: Iterable<Sample>): Promise<Comparison> {
  const sent = new Map(Array.from(samples, (sample) => [hashOf(sample), sample]));
  const folder = join(fleet.folder, 'home');
  const there = await readEnds(fleet.frontFolder);
  {
    const env = { ...fleet.homeEnv };
    await using home = await TestDaemon.start({ folder, env, readyTimeoutMs: READY_TIMEOUT_MS });
    for (const [hash, sample] of sent) if (there.has(hash)) await submit(home, sample);
    await awaitIdle(home);
  }
  const here = await readEnds(folder);
  const problems: string[] = [];
  for (const [hash, { figures, state, error }] of there) {
    const kind = sent.get(hash)?.kind ?? 'unknown';
    const atHome = here.get(hash)?.figures ?? '';
    if (state !== 'done') problems.push(`a good file (${kind}) ended ${state}: ${error}`);
    else if (atHome !== figures) problems.push(`${kind} differs: ${difference(figures, atHome)}`);
  }
  const retried = [...there.values()].filter(({ attempts }) => attempts > 1).length;
  return { compared: there.size, retried, problems };
}
