import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { mayIssue } from '../../src/domain/provenance/certificate-chain.ts';
import { readShippedLists } from '../../src/machinery/trust/trust-lists.ts';
import { SHIPPED_FOLDER } from '../trust-lists.ts';

test('each authority of a shipped list may issue certificates, which a start does not ask again', () => {
  const authorities = readShippedLists(SHIPPED_FOLDER).flatMap((list) => list.authorities);
  assert.ok(authorities.length > 0);
  const others = authorities.filter((der) => !mayIssue(new X509Certificate(Buffer.from(der, 'base64'))));
  assert.deepEqual(others, []);
});
