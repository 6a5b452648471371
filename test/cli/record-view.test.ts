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

test('a place in a recording is shown as a player shows it', () => {
  const cases = [
    [0, '0:00.0'],
    [4.25, '0:04.3'],
    [9.96, '0:10'],
    [59.6, '1:00'],
    [83, '1:23'],
    [3599.7, '1:00:00'],
    [3723, '1:02:03'],
  ] as const;
  for (const [seconds, shown] of cases) equal(formatSeconds(seconds), shown);
});

test('a duration is shown in its largest unit, and hours with their minutes', () => {
  const cases = [
    [59.9, '59 s'],
    [60, '1 min'],
    [7199, '119 min'],
    [7260, '2 h 1 min'],
  ] as const;
  for (const [seconds, shown] of cases) equal(formatDuration(seconds), shown);
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
  const frame = (timeSeconds: number, probability: number) => ({
    identifier: `frame ${timeSeconds}`,
    verdict: verdictOf(Label.ARTIFICIAL, probability),
    assessment: { probability },
    media: { case: 'image' as const, value: { timeSeconds } },
  });
  const track = { identifier: 'track', verdict: verdictOf(Label.HUMAN, 0.7) };
  const record = recordOf({
    case: 'video',
    value: { images: [frame(1, 0.6), frame(75, 0.9)], audios: [track] },
  });
  deepEqual(describeParts(record), [
    ['0:01.0', 'artificial', '60.0 %', 'frame 1'],
    ['1:15', 'artificial', '90.0 %', 'frame 75'],
    ['sound', 'human', '70.0 %', 'track'],
  ]);
  equal(momentOf(record)?.seconds, 75);
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
