/**
 * Results as real models measured them pass the judge, and each with one lie is refused by name.
 *
 * Invariant: what a worker brings is what the asked packs can have given, each once; a figure that is no finite number
 * is never stored.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { AnalysisResult } from '../../../src/domain/verdicts/result.ts';
import { faultOfFindings, faultOfResult } from '../../../src/engine/remote/judge-result.ts';
import { skipWithoutSharedData } from '../../shared-data.ts';
import {
  faultOf,
  first,
  type Honest,
  type HonestResults,
  type Lies,
  measureHonestResults,
} from './honest-results.ts';
import { FILM_LIES, SOUND_LIES, TALK_LIES } from './lies-of-films.ts';
import { MODEL_LIES, PICTURE_LIES, PLAIN_LIES } from './lies-of-pictures.ts';

const skip = skipWithoutSharedData('face');

let honest: HonestResults;

before(async () => {
  if (!skip) honest = await measureHonestResults();
});

test('what honest workers bring passes: a portrait, a picture, a voice, a talk, a film', { skip }, () => {
  const { portrait, plain, voice, talk, film } = honest;
  for (const { job, brought } of [portrait, plain, voice, talk, film]) {
    assert.equal(faultOfResult(job, brought), null, brought.result.kind);
  }
  // All that the lies are about is there.
  const { detections, tampering, nsfw, stability, hasHeatmap } = portrait.brought.result;
  assert.ok(detections.length > 0 && tampering && nsfw !== null && stability.length > 0 && hasHeatmap);
  assert.ok(film.brought.result.tracks.length === 1 && film.brought.result.frames.length > 1);
  assert.ok(voice.brought.result.clips.length > 1);
  assert.deepEqual(
    new Set(talk.brought.result.transcript?.segments.map(({ channel }) => channel)),
    new Set([1, 2]),
  );
});

function refuses<R extends AnalysisResult>(honest: Honest<R>, lies: Lies<R>): void {
  for (const [name, sentence, lie] of lies) assert.match(faultOf(honest, lie) ?? 'it passed', sentence, name);
}

test('lies about a model’s answer', { skip }, () => refuses(honest.portrait, MODEL_LIES));

test('lies about a picture', { skip }, () => {
  const { portrait, plain, voice } = honest;
  refuses(portrait, PICTURE_LIES);
  refuses(plain, PLAIN_LIES);
  assert.equal(faultOfResult(portrait.job, voice.brought), 'a result of audio for image');
});

test('lies about a sound', { skip }, () => refuses(honest.voice, SOUND_LIES));

test('lies about what two voices say', { skip }, () => refuses(honest.talk, TALK_LIES));

test('lies about a film', { skip }, () => refuses(honest.film, FILM_LIES));

test('lies about what was found so far', { skip }, () => {
  const { plain, film } = honest;
  const { job, brought } = film;
  const frames = brought.result.frames.map(({ timeSeconds, image }) => ({
    timeSeconds,
    runs: image.runs.filter(({ task }) => task !== 'face-origin'),
  }));
  const { runs: speech, clips } = first(brought.result.tracks).audio;
  const found = { frames, clips, speech };
  assert.equal(faultOfFindings(job, found), null);
  assert.equal(faultOfFindings(job, { frames: [], clips: [], speech: [] }), null);
  const frame = first(frames);
  const lighter = { ...frame, runs: [{ ...first(frame.runs), weight: 0.5 }] };
  assert.match(faultOfFindings(job, { ...found, frames: [lighter] }) ?? '', /frame 1: weight/);
  assert.match(
    faultOfFindings(job, { ...found, frames: Array(6).fill(frame) }) ?? '',
    /6 frames of at most 5/,
  );
  const twice = { ...frame, runs: [...frame.runs, ...frame.runs] };
  assert.match(faultOfFindings(job, { ...found, frames: [twice] }) ?? '', /answered 2 times/);
  assert.match(faultOfFindings(plain.job, found) ?? '', /5 frames of at most 0/);
  assert.match(
    faultOfFindings(plain.job, { ...found, frames: [] }) ?? '',
    /speech, which was not looked for/,
  );
});
