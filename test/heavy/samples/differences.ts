/** Where a daemon's outcome and the other programs differ, and which of it is explained. */
import { FORMATS } from '../../../src/domain/media/formats.ts';
import type { Outcome } from './outcomes.ts';
import type { Figures, Said } from './tools.ts';

type About =
  | 'refused'
  | 'failed'
  | 'opened'
  | 'sides'
  | 'seconds'
  | 'pages'
  | 'tracks'
  | 'validate'
  | 'fault';

export interface Difference {
  about: About;
  what: string;
  /** Why Assay is right; without it the difference is unexplained. */
  reason?: string;
}

const FIGURES: readonly [about: About, names: readonly (keyof Figures)[]][] = [
  ['sides', ['width', 'height']],
  ['seconds', ['seconds']],
  ['pages', ['pages']],
  ['tracks', ['tracks']],
];
/** A container's clock is rounded to whole frames of sound and pictures. */
const SECONDS_TOLERANCE = 0.25;
const SECONDS_SHARE_TOLERANCE = 0.02;
const UNREAD = 'no other program decodes a frame of it either';
/** Neither sharp nor an ffprobe before 7.1 decodes HEIC or the newer boxes of AVIF, so their silence says nothing. */
const HEIF = /\.(hei[cf]|avif)$/;
/** Found where figures are compared, not by a rule. */
const DIVIDED = 'the programs differ among themselves; one of them says what Assay says';

/** Reasons by which a record names further pages or tracks without counting them, so their number is not compared. */
const NAMING: Partial<Record<About, readonly string[]>> = {
  pages: ['ANIMATION_FRAMES'],
  tracks: ['TRACK_NOT_JUDGED', 'SEVERAL_TRACKS'],
};

const plain = (mime: string): string => mime.replace('/x-', '/');
const KNOWN = new Set(FORMATS.map(({ mime }) => plain(mime)));
/** Other programs' names of formats that are known here by another. */
const ALIASES: Readonly<Record<string, string>> = {
  ...{ 'audio/mp4': 'audio/m4a', 'audio/opus': 'audio/ogg', 'image/apng': 'image/png' },
  ...{ 'image/heif': 'image/heic', 'image/heic-sequence': 'image/heic', 'image/heif-sequence': 'image/heic' },
  ...{ 'image/jpegxl': 'image/jxl', 'image/jpegls': 'image/jls' },
};
const DEMUXERS = new Set(FORMATS.flatMap(({ demuxers = '' }) => demuxers.split(',')));
/** Sound that none of our demuxers is for; films are promised whatever they lie in. */
const isForeignSound = ({ by, demuxer }: Said): boolean =>
  by.ffprobe?.tracks !== undefined &&
  !('width' in by.ffprobe) &&
  !demuxer.split(',').some((name) => DEMUXERS.has(name));
const isForeign = (mime: string): boolean => !KNOWN.has(plain(ALIASES[mime] ?? mime));

const RULES: readonly [about: About, reason: string, holds: (outcome: Outcome, said: Said) => boolean][] = [
  [
    'refused',
    'refused by name: a picture or sound of a format that docs/interface.md does not promise',
    ({ why }, said) =>
      /none of the accepted types|; accepted are/.test(why) &&
      ((/^(image|audio)\//.test(said.mime) && isForeign(said.mime)) ||
        (/_pipe$/.test(said.demuxer) && isForeign(`image/${said.demuxer.replace('_pipe', '')}`)) ||
        isForeignSound(said)),
  ],
  ['refused', 'refused by name: a coding that no library here reads', ({ why }) => /not read here/.test(why)],
  ['opened', 'ffprobe reads it too, and is not sure of so few bytes', (_, { isDecoded }) => isDecoded],
  [
    'refused',
    "damaged on purpose: a fuzzer's corpus, the heads of files that exiftool keeps",
    ({ why }, { path }) =>
      /fuzzing\/data\/|exiftool\/t\/images\//.test(path) && !/none of the accepted types/.test(why),
  ],
  ['refused', UNREAD, (_, { isDecoded, path }) => !isDecoded && !HEIF.test(path)],
  ['failed', 'a few samples, too short for a filter', (_, { by }) => (by.packets?.seconds ?? 1) < 0.01],
  [
    'refused',
    'cut off: a corrupted file, which docs/interface.md refuses; sharp refuses it too',
    ({ why }, { by, isDrawn }) => /ends early/.test(why) && by.sharp !== undefined && !isDrawn,
  ],
  ['failed', UNREAD, (_, { isDecoded }) => !isDecoded],
  ['refused', 'beyond a documented bound', ({ why }) => /at most|the maximum/.test(why)],
  [
    'seconds',
    'cut: exiftool shows what a header promises, which is not there',
    (_, { by }) => by.ffprobe === undefined,
  ],
];

export function compare(outcome: Outcome, said: Said): Difference[] {
  return findDifferences(outcome, said).map((difference) => {
    const rule = RULES.find(([about, , holds]) => about === difference.about && holds(outcome, said));
    return rule === undefined ? difference : { reason: rule[1], ...difference };
  });
}

function findDifferences({ end, why, reasons, figures }: Outcome, { by }: Said): Difference[] {
  const isMedia = Object.keys(by).length > 0;
  if (end !== 'done') return isMedia ? [{ about: end, what: why }] : [];
  const found: Difference[] = [];
  if (!isMedia) found.push({ about: 'opened', what: 'no other program calls it media' });
  if (why !== '') found.push({ about: 'validate', what: why });
  for (const [about, names] of FIGURES) {
    const isNamed = reasons.some((code) => NAMING[about]?.includes(code));
    if (names.every((name) => name in figures) && !isNamed)
      found.push(
        ...differ(
          about,
          names.map((name) => figures[name] ?? 0),
          by,
          names,
        ),
      );
  }
  return found;
}

function differ(
  about: About,
  ours: readonly number[],
  by: Said['by'],
  names: readonly (keyof Figures)[],
): Difference[] {
  const said = Object.entries(by).filter(([, theirs]) => names.every((name) => name in theirs));
  const isEqual = ([, theirs]: [string, Figures]) =>
    names.every((name, at) => isNear(about, ours[at] ?? 0, theirs[name] ?? 0));
  if (said.every(isEqual)) return [];
  const stated = said.map(
    ([program, theirs]) => `${program} ${names.map((name) => theirs[name]).join(' × ')}`,
  );
  const what = `${about}: ${ours.join(' × ')}; ${stated.join(', ')}`;
  return [said.some(isEqual) ? { about, what, reason: DIVIDED } : { about, what }];
}

function isNear(about: About, ours: number, theirs: number): boolean {
  const tolerance = about === 'seconds' ? Math.max(SECONDS_TOLERANCE, theirs * SECONDS_SHARE_TOLERANCE) : 0;
  return Math.abs(ours - theirs) <= tolerance;
}
