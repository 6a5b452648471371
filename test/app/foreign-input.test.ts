/** Foreign input in any form is read within its bounds, or refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRecordFilter } from '../../src/app/records/filters/record-filter.ts';
import { parseSubmission } from '../../src/app/submissions/input.ts';
import { parseRetryAfter } from '../../src/app/webhooks/retry-schedule.ts';
import { checkpointText, NOTE_CHARACTERS_MAX, parseCheckpoint } from '../../src/domain/custody/checkpoint.ts';
import { encodeEntry, parseEntry } from '../../src/domain/custody/entry.ts';
import { AppError } from '../../src/domain/errors.ts';
import { toSnakeCase } from '../../src/domain/field.ts';
import { MEDIA_KINDS } from '../../src/domain/media/media.ts';
import { ANALYSIS_OPTIONS } from '../../src/domain/records/analysis-options.ts';
import { formatTime, isTime, parseTime } from '../../src/domain/time.ts';
import { parseManifest, toManifest } from '../../src/evidence/bag.ts';
import { parseLineNumber } from '../../src/operations/pages.ts';
import { parseRange } from '../../src/port/ranges.ts';
import { parseUnfinishedUpload } from '../../src/store/unfinished-upload.ts';

/** The value, or undefined if the refusal names the wrong field. */
function unlessRefused<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    assert.ok(error instanceof AppError && error.reason === 'bad_field', String(error));
    return undefined;
  }
}

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => Buffer.from(value).toString('hex'));
/** Values that a form, a variable or JSON can hold. */
const anything = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue(),
);
const digits = (from: number, to: number, width: number) =>
  fc.integer({ min: from, max: to }).map((value) => String(value).padStart(width, '0'));

test('a time is read as it was written', () => {
  const times = fc.integer({ min: 0, max: 2 ** 53 - 1 });
  fc.assert(fc.property(times, (time) => assert.equal(parseTime(formatTime(time)), time)));
});

test('a time names a day of the calendar, or is none', () => {
  const dates = fc.tuple(digits(0, 9999, 4), digits(0, 13, 2), digits(0, 32, 2), digits(0, 25, 2));
  const check = ([year, month, day, hour]: string[]) => {
    const time = parseTime(`${year}-${month}-${day}T${hour}:00:00Z`);
    if (time !== undefined) assert.equal(formatTime(time).slice(0, 13), `${year}-${month}-${day}T${hour}`);
  };
  fc.assert(fc.property(dates, check));
  fc.assert(fc.property(fc.string(), (text) => isTime(parseTime(text) ?? 0)));
});

test('a range of bytes lies within the file, or is none', () => {
  const ends = fc.oneof(fc.constant(''), fc.integer({ min: 0, max: 2000 }).map(String));
  const headers = fc.oneof(
    fc.tuple(ends, ends).map(([from, to]) => `bytes=${from}-${to}`),
    fc.string(),
  );
  const sizes = fc.integer({ min: 0, max: 1000 });
  const check = (header: string, sizeBytes: number) => {
    const range = parseRange(header, { sizeBytes, etag: '"a"', ifRange: undefined });
    if (typeof range !== 'object') return;
    assert.ok(range.first >= 0 && range.first <= range.last && range.last < sizeBytes, JSON.stringify(range));
  };
  fc.assert(fc.property(headers, sizes, check));
});

test('a checkpoint is read as it was written, and other text is none', () => {
  const origin = fc.stringMatching(/^[\w/-]{1,40}$/);
  const root = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
  const check = (checkpoint: { origin: string; size: number; root: Buffer }) => {
    const read = parseCheckpoint(`${checkpointText(checkpoint)}\n`);
    assert.deepEqual(read, { ...checkpoint, text: checkpointText(checkpoint), signatures: [] });
  };
  fc.assert(fc.property(fc.record({ origin, size: fc.nat(), root }), check));
  const lines = fc.array(fc.string(), { maxLength: 8 }).map((parts) => parts.join('\n'));
  const reads = (text: string) => {
    const read = parseCheckpoint(text);
    if (read !== undefined) assert.ok(text.startsWith(`${checkpointText(read)}\n`));
  };
  fc.assert(fc.property(lines, reads));
  assert.equal(parseCheckpoint('a\n'.repeat(NOTE_CHARACTERS_MAX)), undefined);
});

test('a custody entry is read as it was written, and other lines are none', () => {
  const entries = fc.record(
    {
      sequence: fc.nat(),
      at: fc.nat(),
      kind: fc.constant('override.set' as never),
      subject: fc.string({ maxLength: 64 }),
      actor: fc.option(fc.nat()),
      commitment: hex(32),
      previous: hex(32),
    },
    { noNullPrototype: true },
  );
  fc.assert(fc.property(entries, (entry) => assert.deepEqual(parseEntry(encodeEntry(entry)), entry)));
  const others = fc.oneof(
    fc.string(),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    anything,
  );
  fc.assert(fc.property(others, (line) => parseEntry(line) === undefined));
});

test('a manifest of a bag is read as it was written, and never reads a path twice', () => {
  const path = fc.string({ minLength: 1, maxLength: 40 }).filter((text) => !/[\r\n\u2028\u2029]/.test(text));
  const entries = fc.uniqueArray(fc.record({ path, sha256: hex(32) }), { selector: (entry) => entry.path });
  fc.assert(
    fc.property(entries, (those) => {
      const read = parseManifest(toManifest(those));
      assert.deepEqual(
        [...(read ?? [])],
        those.map((entry) => [entry.path, entry.sha256]),
      );
      const [first] = those;
      if (first !== undefined) assert.equal(parseManifest(toManifest([...those, first])), null);
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => parseManifest(text)?.size !== 0 || text.trim() === ''));
});

test('options of a submission are those that may be said, or the field is named', () => {
  const rows = Object.entries(ANALYSIS_OPTIONS);
  const fields = fc.record(
    Object.fromEntries(
      rows.map(([name, row]) => {
        const allowed: readonly unknown[] = 'allowed' in row ? (row.allowed ?? []) : ['true', 'false', true];
        return [toSnakeCase(name), fc.oneof(anything, fc.constantFrom(...allowed))];
      }),
    ),
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.constantFrom(...MEDIA_KINDS), fields, (kind, given) => {
      const submission = unlessRefused(() => parseSubmission(kind, given));
      if (submission === undefined) return;
      for (const [name, row] of rows) {
        const value: unknown = submission.options[name as keyof typeof submission.options];
        const allowed: readonly unknown[] = 'allowed' in row ? (row.allowed ?? []) : [true, false];
        assert.ok(value === row.initial || allowed.includes(value), `${name} is ${String(value)}`);
      }
    }),
  );
});

test('a filter of records is within its bounds, or the field is named', () => {
  const names = ['status', 'outcome', 'verdict', 'ref_id', 'hash', 'search', 'text', 'since', 'until'];
  const fields = fc.record(Object.fromEntries(names.map((name) => [name, anything])), { requiredKeys: [] });
  fc.assert(
    fc.property(fields, (given) => {
      const filter = unlessRefused(() => parseRecordFilter(given));
      for (const text of [filter?.text, filter?.search]) assert.ok((text ?? '').length <= 256);
      for (const time of [filter?.since, filter?.until]) assert.ok(Number.isSafeInteger(time ?? 0));
      assert.match(filter?.hash ?? '', /^[0-9a-f]{0,64}$/);
    }),
  );
});

test('a cursor is the number of a line, or the field is named', () => {
  fc.assert(
    fc.property(anything, (before) => {
      const line = unlessRefused(() => parseLineNumber({ before }, 'before'));
      assert.ok(line === undefined || (Number.isSafeInteger(line) && line > 0), String(line));
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1 }), (line) =>
      assert.equal(parseLineNumber({ before: String(line) }, 'before'), line),
    ),
  );
});

test('a receiver names a wait that is not negative, or none', () => {
  const dates = fc.date({ noInvalidDate: true }).map((date) => date.toUTCString());
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.integer().map(String), dates), fc.nat(), (value, nowMs) => {
      const wait = parseRetryAfter(value, nowMs);
      assert.ok(wait === null || (Number.isFinite(wait) && wait >= 0), String(wait));
    }),
  );
});

test('the note of an unfinished upload holds what it needs, or is none', () => {
  const note = {
    ...{ accountId: 1, uploadId: 'a', name: 'a.png', sizeBytes: 9, fields: { ref_id: 'x' }, createdAt: 1 },
    ...{ touchedAt: 2, committedBytes: 3, identifier: null },
  };
  assert.deepEqual(parseUnfinishedUpload(JSON.stringify(note)), note);
  assert.equal(parseUnfinishedUpload(JSON.stringify({ ...note, fields: [] })), undefined);
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(note)), anything, (name, value) => {
      const read = parseUnfinishedUpload(JSON.stringify({ ...note, [name]: value }));
      if (read === undefined) return;
      assert.ok(read.committedBytes >= 0 && read.committedBytes <= read.sizeBytes);
      assert.ok(
        !Array.isArray(read.fields) && Object.values(read.fields).every((text) => typeof text === 'string'),
      );
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => parseUnfinishedUpload(text) === undefined));
});
