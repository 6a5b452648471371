/** Messages take their fields from values by name: this test finds what one side has and the other lacks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DescMessage, DescMethod } from '@bufbuild/protobuf';
import { PLAN } from '../../src/domain/contract/plan.ts';
import { PROVENANCE_PARTS } from '../../src/domain/contract/provenance-parts.ts';
import { AUDIO, FINDINGS, IMAGE, RECORD, VIDEO } from '../../src/domain/contract/record.ts';
import { RECORD_PARTS } from '../../src/domain/contract/record-parts.ts';
import { toSnakeCase } from '../../src/domain/field.ts';
import { ANALYSIS_OPTIONS } from '../../src/domain/records/analysis-options.ts';
import { EXCEPTIONS as ALL } from '../../src/facade/grpc/exceptions.ts';
import { FORMS } from '../../src/facade/grpc/operations.ts';
import { SERVICES } from '../../src/facade/grpc/server.ts';
import { PlanFieldsSchema, PlanSchema } from '../../src/grpc/gen/assay/v1/account_pb.ts';
import { ClassificationSchema } from '../../src/grpc/gen/assay/v1/classification_pb.ts';
import { AnalysisOptionsSchema } from '../../src/grpc/gen/assay/v1/media_pb.ts';

import type { Operation } from '../../src/operations/operation.ts';
import { OPERATIONS } from '../../src/operations/operations.ts';

const EXCEPTIONS: Readonly<Record<string, object>> = ALL;

const exceptionsOf = ({ typeName }: DescMessage): string[] => Object.keys(EXCEPTIONS[typeName] ?? {});

function namesOf(schema: DescMessage): string[] {
  return schema.fields.map(({ localName, oneof }) => oneof?.localName ?? localName);
}

function messageIn(schema: DescMessage, name: string): DescMessage {
  const found = schema.fields.find(({ localName }) => localName === name)?.message;
  assert.ok(found, `${schema.typeName} has no message ${name}`);
  return found;
}

function assertSame(schema: DescMessage, rows: readonly string[]): void {
  const own = exceptionsOf(schema);
  const unfilled = namesOf(schema).filter((name) => !rows.includes(name) && !own.includes(name));
  assert.deepEqual(unfilled, [], `${schema.typeName} has fields that no row fills`);
}

test('every field of a record has a row or an exception, and every row a field', () => {
  const { image, video, audio } = {
    image: messageIn(ClassificationSchema, 'image'),
    video: messageIn(ClassificationSchema, 'video'),
    audio: messageIn(ClassificationSchema, 'audio'),
  };
  const shared = Object.keys({ ...RECORD, ...FINDINGS });
  const ofKinds = { image: Object.keys(IMAGE), video: Object.keys(VIDEO), audio: Object.keys(AUDIO) };
  assertSame(ClassificationSchema, [...shared, ...Object.values(ofKinds).flat()]);
  assertSame(image, ofKinds.image);
  assertSame(video, ofKinds.video);
  assertSame(audio, ofKinds.audio);
  const named = [ClassificationSchema, image, video, audio].flatMap(namesOf);
  const rows = Object.entries({ ...RECORD, ...FINDINGS, ...IMAGE, ...VIDEO, ...AUDIO });
  assert.deepEqual(
    rows.filter(([name, row]) => !row.isComputed && !named.includes(name)).map(([name]) => name),
    [],
  );
});

test('every field of a part of a record has a row or an exception, and every row a field', () => {
  const found = new Map<string, DescMessage>();
  const visit = (schema: DescMessage): void => {
    if (found.has(schema.name)) return;
    found.set(schema.name, schema);
    for (const { message } of schema.fields) if (message?.file.proto.package === 'assay.v1') visit(message);
  };
  for (const { output } of SERVICES.flatMap(({ methods }) => methods as readonly DescMethod[])) visit(output);
  for (const { name, message = name, fields } of [...PROVENANCE_PARTS, ...RECORD_PARTS]) {
    const schema = found.get(message);
    assert.ok(schema, name);
    assertSame(schema, Object.keys(fields));
    const named = namesOf(schema);
    const untold = Object.entries(fields).filter(
      ([row, { documented }]) => !named.includes(row) && !named.includes(documented ?? ''),
    );
    assert.deepEqual(untold, [], name);
  }
});

test('an analysis has the same options in its message and in its table', () => {
  assert.deepEqual(
    AnalysisOptionsSchema.fields.map(({ name }) => name).sort(),
    Object.keys(ANALYSIS_OPTIONS).map(toSnakeCase).sort(),
  );
});

test('every field of a plan has a row or an exception, and can be written', () => {
  assertSame(PlanSchema, Object.keys(PLAN));
  const written = namesOf(PlanFieldsSchema);
  const perKind = ['credits', 'fileBytesMax'];
  const rows = Object.keys(PLAN).filter((name) => name !== 'id' && !perKind.includes(name));
  assert.deepEqual(
    rows.filter((name) => !written.includes(name)),
    [],
  );
});

test('each field of a request has a row of its operation, and each row a field', () => {
  const rows: Readonly<Record<string, Operation>> = OPERATIONS;
  for (const method of SERVICES.flatMap(({ methods }) => methods as readonly DescMethod[])) {
    const operation = rows[method.localName];
    if (operation === undefined || method.methodKind !== 'unary') continue;
    const said = Object.entries(operation.input).flatMap(([name, row]) => {
      const { field = null } = row.form === undefined ? {} : FORMS[row.form];
      if (row.form !== undefined) return field === null ? namesOf(method.input) : [field];
      if (row.page === undefined) return [name];
      return [row.page === 'limit' ? 'pageSize' : 'pageToken'];
    });
    assert.deepEqual(namesOf(method.input).sort(), said.sort(), method.name);
  }
});

test('each field of an answer has a row of its operation', () => {
  const rows: Readonly<Record<string, Operation>> = OPERATIONS;
  for (const method of SERVICES.flatMap(({ methods }) => methods as readonly DescMethod[])) {
    const operation = rows[method.localName];
    if (operation === undefined || method.methodKind !== 'unary') continue;
    const { shape, fields } = operation.answer;
    if (shape === 'itself') continue;
    const said = [...Object.keys(fields), ...(shape === 'page' ? ['nextPageToken'] : [])];
    const unfilled = namesOf(method.output).filter((name) => !said.includes(name));
    assert.deepEqual(unfilled, [], method.name);
  }
});
