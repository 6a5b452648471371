/**
 * `npm run evaluate:splices -- --data DIR [--each N] [--tier mp3-64]`: puts a sentence of an artificial voice into a minute of a
 * real one, sends it through the running daemon, and prints the place of the clip that has it in the order of
 * suspicion. DIR is a labelled folder (docs/models.md) of sources that no model was made with; every host is also sent as it was.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readLabelledFolder } from './labelled-folder.ts';
import { makeRandom } from './random.ts';
import { endedSound, sendSound } from './sent-sound.ts';
import { decodeMono, toMp3 } from './sound-tiers.ts';
import {
  chanceOf,
  INSERT_SECONDS,
  joinHost,
  type RankedClip,
  rankOf,
  rightClips,
  SPLICE_RATE,
  splice,
} from './splice.ts';
import { toWave } from './wave.ts';

const JUDGED_FIELDS =
  'verdict { classification confidence } clips { start end verdict { classification confidence } }';
const SEED = 1;
const TOP = 3;
const HOST_FILES_MAX = 30;

const { values } = parseArgs({
  options: { data: { type: 'string' }, each: { type: 'string', default: '3' }, tier: { type: 'string' } },
});
if (values.data === undefined) throw new Error('--data DIR is needed');
if (values.tier !== undefined && values.tier !== 'mp3-64')
  throw new Error('--tier knows mp3-64 only; without it the splice stays as it was made');
await evaluate(values.data, Number(values.each));

interface Voice {
  source: string;
  samples: Float32Array;
}

async function evaluate(folder: string, each: number): Promise<void> {
  const { hosts, inserts } = await readVoices(folder);
  console.log(`${hosts.length} hosts, ${inserts.length} sentences`);
  const chance = makeRandom(SEED);
  const sum = { splices: 0, found: 0, first: 0, byChance: 0, accused: 0, hostsAccused: 0 };
  for (const host of hosts) {
    const whole = await judge(host.samples);
    sum.hostsAccused += whole.isAccused ? 1 : 0;
    console.log(`${host.source}: as it is, highest clip ${shown(whole.clips)}${accusedWord(whole)}`);
    for (let number = 0; number < each; number++) {
      const insert = inserts[Math.floor(chance() * inserts.length)];
      if (insert === undefined) throw new Error('there is no artificial sentence');
      const { samples, ...place } = splice(host.samples, insert.samples, chance);
      const answer = await judge(samples);
      const right = rightClips(answer.clips, place);
      const rank = rankOf(answer.clips, right);
      sum.splices += 1;
      sum.found += rank !== null && rank <= TOP ? 1 : 0;
      sum.first += rank === 1 ? 1 : 0;
      sum.byChance += chanceOf(answer.clips.length, right.length, TOP);
      sum.accused += answer.isAccused ? 1 : 0;
      console.log(
        `${host.source} + ${insert.source} at ${place.startSeconds.toFixed(1)} s: place ${rank ?? 'none'} of ${answer.clips.length}, right ${shown(right)}, highest ${shown(answer.clips)}${accusedWord(answer)}`,
      );
    }
  }
  const share = (count: number) => `${((100 * count) / sum.splices).toFixed(0)} %`;
  console.log(
    `the right clip is among the first ${TOP} in ${share(sum.found)} of ${sum.splices} splices (by chance ${share(sum.byChance)}), first in ${share(sum.first)}`,
  );
  console.log(
    `called artificial as a whole: ${share(sum.accused)} of the splices, ${sum.hostsAccused} of ${hosts.length} hosts`,
  );
}

function shown(clips: readonly RankedClip[]): string {
  return clips.length === 0 ? 'none' : Math.max(...clips.map(({ probability }) => probability)).toFixed(2);
}

function accusedWord({ isAccused }: Answer): string {
  return isAccused ? ', called artificial' : '';
}

async function readVoices(folder: string): Promise<{ hosts: Voice[]; inserts: Voice[] }> {
  const files = await readLabelledFolder(folder);
  const [hosts, inserts]: [Voice[], Voice[]] = [[], []];
  const bySource = Map.groupBy(files, ({ label, source }) => `${label}/${source}`);
  for (const members of bySource.values()) {
    const [first] = members;
    if (first === undefined) continue;
    const { label, source } = first;
    const parts = members
      .slice(0, HOST_FILES_MAX)
      .map(({ path }) => decodeMono(join(folder, path), SPLICE_RATE));
    if (label === 'human') {
      const samples = joinHost(parts);
      if (samples !== null) hosts.push({ source, samples });
      continue;
    }
    const whole = parts.find(({ length }) => length >= INSERT_SECONDS.min * SPLICE_RATE);
    if (whole !== undefined) inserts.push({ source, samples: whole });
  }
  return { hosts, inserts };
}

interface Answer {
  clips: RankedClip[];
  isAccused: boolean;
}

async function judge(samples: Float32Array): Promise<Answer> {
  const bytes = encode(samples);
  const name = values.tier === undefined ? 'splice.wav' : 'splice.mp3';
  const identifier = await sendSound(new Uint8Array(bytes), name);
  const { clips, verdict } = await endedSound<JudgedSound>(identifier, JUDGED_FIELDS);
  return {
    clips: clips.map(({ start, end, verdict: own }) => ({
      startSeconds: start,
      endSeconds: end,
      probability: own.classification === 'ARTIFICIAL' ? own.confidence : 1 - own.confidence,
    })),
    isAccused: verdict.classification === 'ARTIFICIAL',
  };
}

function encode(samples: Float32Array): Buffer {
  const wave = toWave([samples], SPLICE_RATE);
  if (values.tier === undefined) return wave;
  const path = join(tmpdir(), `assay-splice-${process.pid}.wav`);
  writeFileSync(path, wave);
  try {
    return toMp3(path);
  } finally {
    rmSync(path);
  }
}

interface Judged {
  classification: string;
  confidence: number;
}

interface JudgedSound {
  verdict: Judged;
  clips: { start: number; end: number; verdict: Judged }[];
}
