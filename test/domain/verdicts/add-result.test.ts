import { deepEqual, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { NO_PROVENANCE } from '../../../src/domain/provenance/provenance.ts';
import type { Transcript } from '../../../src/domain/transcripts/transcript.ts';
import { addResult, UnlikeResultError } from '../../../src/domain/verdicts/add-result.ts';
import type { AudioResult, ImageResult, VideoResult } from '../../../src/domain/verdicts/result.ts';

const IMAGE: ImageResult = {
  ...{ kind: 'image', mime: 'image/png', width: 640, height: 480, pages: 1, nsfw: null, detections: [] },
  ...{ runs: [], provenance: NO_PROVENANCE, stability: [], hasHeatmap: false },
  quality: { shortSide: 480, jpegQuality: null, truncated: false },
};

function said(model: string): Transcript {
  return {
    ...{ model, version: '1.0.0', language: 'en', segments: [], leftOutSeconds: 0, fault: '' },
    elapsedSeconds: 1,
  };
}

function sound(transcript?: Transcript): AudioResult {
  return {
    ...{ kind: 'audio', mime: 'audio/flac', durationSeconds: 8, sampleRate: 48_000, channelCount: 1 },
    ...{ speechSeconds: 7, damaged: false, runs: [], channels: [], provenance: NO_PROVENANCE, clips: [] },
    ...(transcript === undefined ? {} : { transcript }),
  };
}

function film(hashes: readonly string[], tracks: readonly AudioResult[]): VideoResult {
  const part = { sizeBytes: 1, file: 'part' };
  return {
    ...{ kind: 'video', mime: 'video/mp4', width: 640, height: 480, durationSeconds: 8, nsfw: null },
    frames: hashes.map((hash, index) => ({
      ...{ ...part, hash, identifier: hash, timeSeconds: index, image: IMAGE },
    })),
    tracks: tracks.map((audio, index) => ({ ...part, hash: 'f', identifier: `track ${index}`, audio })),
    ...{ runs: [], damagedFrames: 0, withTrack: tracks.length > 0, provenance: NO_PROVENANCE },
  };
}

const transcriptsOf = (result: ReturnType<typeof addResult>): (string | undefined)[] =>
  result.kind === 'video' ? result.tracks.map(({ audio }) => audio.transcript?.model) : [];

test('a transcript that was asked for later is added, and replaces none', () => {
  deepEqual(addResult(sound(), sound(said('new'))), sound(said('new')));
  deepEqual(addResult(sound(said('old')), sound(said('new'))), sound(said('old')));
  const known = film(['a'], [sound(), sound(said('old')), sound()]);
  const added = film(['a'], [sound(said('first')), sound(said('second'))]);
  deepEqual(transcriptsOf(addResult(known, added)), ['first', 'old', undefined]);
  deepEqual(
    transcriptsOf(addResult(film(['a'], []), added)),
    ['first', 'second'],
    'no sound was asked for then',
  );
});

test('what was made of another file is refused', () => {
  const cases = [
    { known: film(['a', 'b'], []), added: film(['a', 'c'], []), fault: /not those that were judged/ },
    { known: film(['a'], []), added: film(['a', 'b'], []), fault: /not those that were judged/ },
    { known: film(['a', 'b'], []), added: film(['a'], []), fault: /not those that were judged/ },
    { known: IMAGE, added: sound(), fault: /a result of audio cannot be added to one of image/ },
  ];
  for (const { known, added, fault } of cases) {
    throws(
      () => addResult(known, added),
      (error: unknown) => error instanceof UnlikeResultError && fault.test(error.message),
    );
  }
});
