/** What a worker may lie about a sound or a film, and the name by which each lie is refused. */
import assert from 'node:assert/strict';
import type { AudioResult, VideoResult } from '../../../src/domain/verdicts/result.ts';
import { answered, first, type Lies } from './honest-results.ts';

export const SOUND_LIES: Lies<AudioResult> = [
  [
    'more speech than sound',
    /more speech than sound/,
    ({ result }) => (result.speechSeconds = result.durationSeconds + 1),
  ],
  [
    'an answer without speech',
    /answered on too little speech|is not the pack's own|not the pack's own/,
    ({ result }) => (result.speechSeconds = 0),
  ],
  ['clips out of order', /is no clip of this sound/, ({ result }) => void result.clips.reverse()],
  ['one clip twice', /is no clip of this sound/, ({ result }) => result.clips.push(first(result.clips))],
  [
    'a clip as long as the sound',
    /is no clip of this sound/,
    ({ result }) => (first(result.clips).endSeconds = 11),
  ],
  [
    'a clip after the end',
    /is no clip of this sound/,
    ({ result }) => {
      const last = result.clips.at(-1);
      Object.assign(last ?? {}, { startSeconds: 500, endSeconds: 503 });
    },
  ],
  [
    '2,000 clips',
    /no result: result\.clips/,
    ({ result }) => (result.clips = Array(2000).fill(first(result.clips))),
  ],
  ['a clip not judged', /clip 0: .* did not answer/, ({ result }) => (first(result.clips).runs = [])],
  [
    'a clip judged twice',
    /clip 0: .* answered 2 times/,
    ({ result }) => first(result.clips).runs.push(first(first(result.clips).runs)),
  ],
  [
    'a clip of another weight',
    /clip 0: weight/,
    ({ result }) => (first(first(result.clips).runs).weight += 1),
  ],
  [
    'one channel',
    /1 channels with voices/,
    ({ result }) => {
      result.channels = [{ name: 'channel-1', speechSeconds: 1, runs: result.runs }];
    },
  ],
  [
    'more channels than there are',
    /3 channels with voices of 2/,
    ({ result }) => {
      result.channels = [1, 2, 3].map((at) => ({
        name: `channel-${at}`,
        speechSeconds: 9,
        runs: result.runs,
      }));
    },
  ],
  [
    'one of two voices judged as if it were alone',
    /the answer of .* is not the one that follows from the others/,
    ({ result }) => {
      const { speechSeconds, upperBandDb = null, runs } = result;
      result.channels = [1, 2].map((at) => ({ name: `channel-${at}`, speechSeconds, upperBandDb, runs }));
    },
  ],
  [
    'a file',
    /the file note\.txt came/,
    (_, kept) => void kept.set('note.txt', { hash: '0'.repeat(64), sizeBytes: 1 }),
  ],
];

const said = (result: AudioResult) => {
  assert.ok(result.transcript !== undefined);
  return result.transcript.segments;
};

export const TALK_LIES: Lies<AudioResult> = [
  [
    'text of a channel that holds no voice',
    /text of channel 3 of 2 that hold voices/,
    ({ result }) => (first(said(result)).channel = 3),
  ],
  [
    'text of no channel',
    /text of channel null of 2/,
    ({ result }) => void delete first(said(result)).channel,
  ],
  [
    'text out of order',
    /text from/,
    ({ result }) => void said(result).push({ ...first(said(result)), startSeconds: 0 }),
  ],
  ['no text', /a transcript is not what was asked for/, ({ result }) => void delete result.transcript],
];

export const FILM_LIES: Lies<VideoResult> = [
  [
    'too many frames',
    /6 frames of at most 5/,
    ({ result }) => {
      while (result.frames.length < 6) result.frames.push(first(result.frames));
    },
  ],
  [
    'the same frame twice',
    /frame 2: its file is named frame-0\.png/,
    ({ result }) => (result.frames[1] = first(result.frames)),
  ],
  [
    'another file',
    /the file frame-0\.png did not come, or is another/,
    ({ result }) => (first(result.frames).hash = 'f'.repeat(64)),
  ],
  [
    'a frame left out',
    /came, and the result does not name it|do not follow/,
    ({ result }) => void result.frames.pop(),
  ],
  [
    'a signed frame',
    /frame 1: provenance is not that of a frame/,
    ({ result }) => {
      const { image } = first(result.frames);
      image.provenance = { ...image.provenance, declaredOrigin: 'generated' };
    },
  ],
  ['a frame of two pages', /frame 1: pages/, ({ result }) => (first(result.frames).image.pages = 2)],
  [
    'a frame not answered',
    /frame 1: .* did not answer/,
    ({ result }) => (first(result.frames).image.runs = []),
  ],
  [
    'a frame with another weight',
    /frame 1: weight/,
    ({ result }) => (first(first(result.frames).image.runs).weight = 2),
  ],
  [
    'a whole that does not follow',
    /do not follow from those of its frames/,
    ({ result }) => {
      const run = answered(result.runs, 'image-origin');
      run.logOdds = (run.logOdds ?? 0) - 1;
    },
  ],
  [
    'a whole that left a model out',
    /do not follow from those of its frames/,
    ({ result }) => void result.runs.pop(),
  ],
  ['nsfw of no frame', /not that of the least safe frame/, ({ result }) => (result.nsfw = 0.4321)],
  ['no track asked', /withTrack: is not what was asked for/, ({ result }) => (result.withTrack = false)],
  [
    'a damaged track',
    /track: is not as a track is kept/,
    ({ result }) => (first(result.tracks).audio.damaged = true),
  ],
  [
    'another track',
    /the file track\.flac did not come, or is another/,
    ({ result }) => (first(result.tracks).sizeBytes += 1),
  ],
  ['a likeness of no frame', /a likeness at 99 s/, ({ likenesses }) => (first(likenesses).timeSeconds = 99)],
  ['a likeness more', /likenesses of/, ({ likenesses }) => likenesses.push(first(likenesses))],
  [
    'a map that did not come',
    /the file heatmap-0\.png did not come/,
    (_, kept) => void kept.delete('heatmap-0.png'),
  ],
];
