import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../src/domain/errors.ts';
import { isNetworkFault } from '../../src/machinery/guarded-fetch.ts';

const CASES: readonly [code: string, isNetworkFault: boolean][] = [
  ['ECONNREFUSED', true],
  ['EPIPE', true],
  ['UND_ERR_SOCKET', true],
  ['CERT_HAS_EXPIRED', true],
  ['HPE_INVALID_CONSTANT', true],
  // The box lacks room or descriptors: another try may go well.
  ['ENOSPC', false],
  ['EDQUOT', false],
  ['EROFS', false],
  ['EMFILE', false],
  ['ENOMEM', false],
  ['unheard-of', false],
];

test('faults of the network are those of the other end, not of this box', () => {
  const found = CASES.map(([code]) => [code, isNetworkFault(Object.assign(new Error('failed'), { code }))]);
  assert.deepEqual(found, CASES);
  assert.equal(isNetworkFault(new TypeError('no code')), false);
  assert.equal(isNetworkFault(new AppError('bad_address', 'refused')), false);
});
