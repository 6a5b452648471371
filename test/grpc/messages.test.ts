import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create } from '@bufbuild/protobuf';
import { toPlanFields } from '../../src/cli/daemon/plan-options.ts';
import { refuseUnlisted } from '../../src/facade/grpc/enums.ts';
import { fromPlanFields, fromUserFields } from '../../src/facade/grpc/operations.ts';
import { LedgerEntrySchema, PlanFieldsSchema } from '../../src/grpc/gen/assay/v1/account_pb.ts';
import { ClassificationFilterSchema } from '../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import type { MediaKind } from '../../src/grpc/gen/assay/v1/media_pb.ts';
import { UserFieldsSchema } from '../../src/grpc/gen/assay/v1/partner_service_pb.ts';
import { fromMessage, toMessage } from '../../src/grpc/messages.ts';

const said = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

test('a plan of the command line arrives under the documented names', () => {
  const options = {
    ...{
      kinds: ['image', 'audio'],
      options: [],
      models: { all: true, values: [] },
      optionCredits: { nsfw: 2 },
    },
    ...{ videoBytesMax: 5_000_000_000, rateLimit: 0, c2paPolicy: 'never', zeroRetention: false },
  };
  const fields = toPlanFields(options);
  assert.deepEqual(said(fromPlanFields(create(PlanFieldsSchema, fields))), {
    ...{ kinds: ['image', 'audio'], options: [], models: 'all', option_credits: { nsfw: 2 } },
    ...{
      video_bytes_max: 5_000_000_000,
      rate_limit_per_minute: 0,
      c2pa_policy: 'never',
      zero_retention: false,
    },
  });
  assert.deepEqual(toPlanFields({}), {});
});

test('a field that a message leaves out is absent, and an empty list is not', () => {
  assert.deepEqual(said(fromPlanFields(create(PlanFieldsSchema, {}))), {});
  assert.deepEqual(said(fromPlanFields(create(PlanFieldsSchema, { kinds: {} }))), { kinds: [] });
  assert.deepEqual(said(fromPlanFields(undefined)), {});
});

test('kinds that are unspecified or unlisted are refused by their field', () => {
  const refusal = (value: number) => () =>
    fromPlanFields(create(PlanFieldsSchema, { kinds: { values: [1, value as MediaKind] } }));
  assert.throws(refusal(0), { message: 'kinds: expected a media kind, found none' });
  assert.throws(refusal(9), { message: 'kinds: expected a listed value, found 9' });
});

test('a partner and a policy differ from none', () => {
  const read = (fields: object) => said(fromUserFields(create(UserFieldsSchema, fields)));
  assert.deepEqual(read({}), {});
  assert.deepEqual(read({ partnerId: 0n, c2paPolicy: 0 }), { partner_id: null, c2pa_policy: null });
  assert.deepEqual(read({ partnerId: 7n, c2paPolicy: 3, role: 2 }), {
    ...{ partner_id: 7, c2pa_policy: 'never', role: 'partner' },
  });
});

test('times are microseconds, and a word that the messages lack is a fault of ours', () => {
  const at = 1_700_000_000_123_456;
  const entry = { sequence: 3, reason: 'charge', amount: -2, identifier: 'i', at };
  assert.deepEqual(toMessage(LedgerEntrySchema, entry), {
    ...{ sequence: 3n, reason: 2, amount: -2n, identifier: 'i' },
    at: { seconds: 1_700_000_000n, nanos: 123_456_000 },
  });
  const filter = create(ClassificationFilterSchema, { since: { seconds: 1n, nanos: 5999 } });
  assert.equal(fromMessage(ClassificationFilterSchema, filter, refuseUnlisted).since, 1_000_005);
  assert.throws(() => toMessage(LedgerEntrySchema, { ...entry, reason: 'gift' }), /no value for gift/);
});
