import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSaid, summaryOf, type Transcript } from '../../../src/domain/transcripts/transcript.ts';
import {
  formatTranscript,
  type TranscriptFormat,
} from '../../../src/domain/transcripts/transcript-formats.ts';

const TRANSCRIPT: Transcript = {
  ...{
    model: 'whisper-base',
    version: '1.0.0',
    language: 'en',
    leftOutSeconds: 1.5,
    fault: '',
    elapsedSeconds: 2,
  },
  segments: [
    { startSeconds: 0, endSeconds: 1.2345, text: 'One & two <three>', confidence: 0.9, language: 'en' },
    { startSeconds: 3661.5, endSeconds: 3661.6, text: 'A\n\nlate word', confidence: 0.5, language: 'en' },
  ],
};

test('SubRip: numbered, with commas, no empty line inside, long enough to read', () => {
  const expected = [
    '1\n00:00:00,000 --> 00:00:01,235\nOne & two <three>\n',
    '2\n01:01:01,500 --> 01:01:02,000\nA late word\n',
  ].join('\n');
  assert.equal(formatTranscript(TRANSCRIPT, 'srt'), expected);
});

test('WebVTT: says that a machine wrote it, and escapes what would be a tag', () => {
  const lines = formatTranscript(TRANSCRIPT, 'vtt').split('\n');
  assert.deepEqual(lines.slice(0, 3), [
    'WEBVTT',
    '',
    'NOTE Written by a machine (whisper-base 1.0.0, language en); it may be wrong.',
  ]);
  assert.ok(lines.includes('00:00:00.000 --> 00:00:01.235'));
  assert.ok(lines.includes('One &amp; two &lt;three&gt;'));
});

test('text: with the times, and why it is not whole', () => {
  const text = formatTranscript({ ...TRANSCRIPT, fault: 'stopped' }, 'text');
  assert.match(text, /^Written by a machine .* Not whole: stopped\.\n\n\[00:00:00\] One & two/);
  assert.ok(text.includes('[01:01:01] A late word\n'));
});

test('JSON: everything, for programs', () => {
  const document = JSON.parse(formatTranscript(TRANSCRIPT, 'json'));
  assert.deepEqual([document.format, document.machineWritten, document.leftOutSeconds], [1, true, 1.5]);
  assert.deepEqual(document.segments[0], {
    ...{ start: 0, end: 1.2345, text: 'One & two <three>', confidence: 0.9, language: 'en' },
  });
});

const TWO_VOICES: Transcript = {
  ...TRANSCRIPT,
  segments: [
    {
      ...{ startSeconds: 0, endSeconds: 4, text: 'Hello there', confidence: 0.9, language: 'en' },
      channel: 1,
    },
    { ...{ startSeconds: 1, endSeconds: 2, text: 'No < yes', confidence: 0.9, language: 'en' }, channel: 2 },
  ],
};

test('each form names the channel of a segment, if there is one', () => {
  const written = (format: TranscriptFormat) => formatTranscript(TWO_VOICES, format);
  assert.ok(written('srt').includes('1\n00:00:00,000 --> 00:00:04,000\nChannel 1: Hello there\n'));
  assert.ok(written('vtt').includes('00:00:01.000 --> 00:00:02.000\n<v Channel 2>No &lt; yes\n'));
  assert.ok(written('text').endsWith('[00:00:00] Channel 1: Hello there\n[00:00:01] Channel 2: No < yes\n'));
  const { segments } = JSON.parse(written('json'));
  assert.deepEqual(
    segments.map(({ channel }: { channel: number }) => channel),
    [1, 2],
  );
  assert.ok(!formatTranscript(TRANSCRIPT, 'json').includes('channel'));
});

test('a sentence of one channel is found across what the other says meanwhile, and none across both', () => {
  const [first, second] = TWO_VOICES.segments;
  assert.ok(first !== undefined && second !== undefined);
  const segments = [first, second, { ...first, startSeconds: 4, endSeconds: 5, text: 'my friend' }];
  const transcript = { ...TRANSCRIPT, segments };
  assert.ok(isSaid(transcript, 'THERE my friend'));
  assert.ok(isSaid(transcript, 'no < yes'));
  assert.ok(!isSaid(transcript, 'there no'));
  assert.ok(isSaid(TRANSCRIPT, '<three> a'), 'one voice reads on');
});

test('a record shows the first hundred segments and counts all, words also where no space is between them', () => {
  const segment = { startSeconds: 0, endSeconds: 1, text: '今日は天気がいい', confidence: 1, language: 'ja' };
  const segments = Array.from({ length: 101 }, () => segment);
  const summary = summaryOf({ ...TRANSCRIPT, segments });
  assert.deepEqual([summary.segments.length, summary.segmentCount], [100, 101]);
  assert.ok(summary.wordCount >= 303);
  assert.ok(!('elapsedSeconds' in summary));
});
