import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIdentifiers, parseLimit } from '../../src/facade/rest/classifications.ts';
import { acceptsJson } from '../../src/facade/rest/submissions.ts';
import { hostCheck } from '../../src/port/server.ts';

test('an answer is JSON only if Accept names it', () => {
  const rows: [string | undefined, boolean][] = [
    [undefined, false],
    ['*/*', false],
    ['text/plain', false],
    ['application/*', false],
    ['application/json', true],
    ['Application/JSON; charset=utf-8', true],
    ['text/html, application/json;q=0.5', true],
    ['application/json;q=0', false],
    ['application/json-seq', false],
  ];
  for (const [accept, expected] of rows) assert.equal(acceptsJson(accept), expected, accept);
});

test('identifiers come in every documented form', () => {
  const rows: [Parameters<typeof parseIdentifiers>[0], string[] | undefined][] = [
    [{}, undefined],
    [{ limit: '1' }, undefined],
    [{ identifiers: '' }, []],
    [{ 'identifiers[]': ['a', 'b'] }, ['a', 'b']],
    [{ 'identifiers[0]': 'a', 'identifiers[1]': 'b' }, ['a', 'b']],
    [{ identifiers: ['a', 'b,c'] }, ['a', 'b', 'c']],
    [{ identifiers: ' a , b ' }, ['a', 'b']],
    [{ identifiers: '["a","b"]' }, ['a', 'b']],
    [{ identifiers: '[]' }, []],
  ];
  for (const [query, expected] of rows) assert.deepEqual(parseIdentifiers(query), expected);
  for (const text of ['[', '[1]', '[{}]']) {
    assert.throws(() => parseIdentifiers({ identifiers: text }), { reason: 'bad_field' });
  }
});

test('a page has 1 to 100 records', () => {
  assert.equal(parseLimit(undefined), undefined);
  assert.equal(parseLimit('1'), 1);
  assert.equal(parseLimit('100'), 100);
  for (const text of ['0', '101', '-1', '1e1', '', 'x', '1.5']) {
    assert.throws(() => parseLimit(text), { reason: 'bad_field' }, text);
  }
});

test('only known host names are answered', () => {
  const rule = {
    host: '0.0.0.0',
    publicUrl: 'https://assay.desk.example:8443',
    allowedHosts: ['Box', 'other:99'],
  };
  const isAllowed = hostCheck(rule);
  const good = [
    'localhost',
    'LOCALHOST:1',
    '127.0.0.1:8480',
    '[::1]:8480',
    '[::1]',
    'assay.desk.example',
    'box:1',
    'other',
  ];
  for (const host of good) assert.ok(isAllowed(host), host);
  for (const host of [
    undefined,
    '',
    'evil.example',
    '0.0.0.0',
    'localhost.evil.example',
    'desk.example',
    '[::2]',
    ...['[::1]evil', '[::1', '[::1]evil.example:80', 'localhost:evil.example', 'localhost:80:80', ':80'],
    ...['localhost, evil.example', 'localhost:80, evil.example', 'evil.example, localhost', 'a@localhost'],
  ]) {
    assert.ok(!isAllowed(host), host);
  }
});
