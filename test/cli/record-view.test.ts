import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { formatDuration } from '../../src/cli/terminal/duration.ts';
import { describeMoment, describeParts, formatSeconds, momentOf } from '../../src/cli/views/record-view.ts';
import { describeSignOff } from '../../src/cli/views/sign-off-view.ts';
import { ClassificationSchema } from '../../src/grpc/gen/assay/v1/classification_pb.ts';
import { Label } from '../../src/grpc/gen/assay/v1/media_pb.ts';
import { SignOffSchema, SignOffState } from '../../src/grpc/gen/assay/v1/sign_off_pb.ts';

const recordOf = (media: NonNullable<MessageInitShape<typeof ClassificationSchema>['media']>) =>
  create(ClassificationSchema, { media });

const verdictOf = (classification: Label, confidence: number, models = ['m@1']) => ({
  ...{ classification, confidence, models },
});

test('a place in a recording is shown as a player shows it, a duration in its largest unit', () => {
  const places = [0, 4.25, 9.96, 59.6, 83, 3599.7, 3723].map(formatSeconds);
  deepEqual(places, ['0:00.0', '0:04.3', '0:10', '1:00', '1:23', '1:00:00', '1:02:03']);
  deepEqual([59.9, 60, 7199, 7260].map(formatDuration), ['59 s', '1 min', '119 min', '2 h 1 min']);
});

test('the parts of a sound are its clips, those without an answer too, and the most suspicious is named', () => {
  const clips = [
    { start: 0, end: 6, verdict: verdictOf(Label.HUMAN, 0.8) },
    { start: 6, end: 12, verdict: verdictOf(Label.ARTIFICIAL, 0.914) },
    { start: 12, end: 14, verdict: verdictOf(Label.HUMAN, 0.5, []) },
  ];
  const record = recordOf({ case: 'audio', value: { clips } });
  deepEqual(describeParts(record), [
    ['0:00.0 to 0:06.0', 'human', '80.0 %'],
    ['0:06.0 to 0:12', 'artificial', '91.4 %'],
    ['0:12 to 0:14', 'unknown', ''],
  ]);
  const moment = momentOf(record);
  equal(moment && describeMoment(moment), '0:06.0, 91 % chance of AI');
  const silent = recordOf({ case: 'audio', value: { clips: clips.slice(2) } });
  equal(momentOf(silent), null);
});

test('the parts of a video are its frames and its sound', () => {
  const verdict = verdictOf(Label.HUMAN, 0.7);
  const images = [
    { identifier: 'frame', verdict, media: { case: 'image' as const, value: { timeSeconds: 75 } } },
  ];
  const record = recordOf({ case: 'video', value: { images, audios: [{ identifier: 'track', verdict }] } });
  deepEqual(describeParts(record), [
    ['1:15', 'human', '70.0 %', 'frame'],
    ['sound', 'human', '70.0 %', 'track'],
  ]);
});

test('a sign-off is shown with its answers, each with its person and reason', () => {
  const at = create(TimestampSchema, { seconds: 1_795_878_665n });
  const given = create(SignOffSchema, {
    ...{
      state: SignOffState.OPEN,
      classification: Label.HUMAN,
      byAccountId: 3n,
      byName: 'Ada',
      reason: 'seen',
    },
    answers: [
      { at, byAccountId: 4n, byName: 'Bruno', agrees: true },
      { at, byAccountId: 5n, byName: 'Eve\u202e', agrees: false, reason: 'the shadow' },
    ],
  });
  deepEqual(describeSignOff(undefined), []);
  deepEqual(describeSignOff(given), [
    'open: the plan demands it, and nobody was asked (human by Ada (account 3): “seen”)',
    '2026-11-28T15:11:05Z Bruno (account 4) agreed',
    '2026-11-28T15:11:05Z Eve\\u202e (account 5) disagreed: “the shadow”',
  ]);
  equal(
    describeSignOff(create(SignOffSchema, { ...given, askedAt: at, answers: [] }))[0],
    'open (human by Ada (account 3): “seen”)',
  );
});
