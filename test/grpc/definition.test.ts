/** What goes over the wire is what the general encoder writes, also where a piece of a file is written in a quicker way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { serviceDefinition } from '../../src/grpc/definition.ts';
import {
  ClassificationService,
  SubmitMediaRequestSchema,
} from '../../src/grpc/gen/assay/v1/classification_service_pb.ts';

type Message = MessageInitShape<typeof SubmitMediaRequestSchema>;

const { submitMedia } = serviceDefinition(ClassificationService);
const BYTES = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);

const MESSAGES: Readonly<Record<string, Message>> = {
  'a piece': { payload: { case: 'chunk', value: BYTES } },
  'a part of a buffer': { payload: { case: 'chunk', value: BYTES.subarray(7, 140) } },
  'a piece without bytes': { payload: { case: 'chunk', value: new Uint8Array() } },
  'a header': { payload: { case: 'header', value: { name: 'é.jpg', sizeBytes: 5n } } },
  'a commit': { payload: { case: 'commit', value: { sizeBytes: 5n } } },
  nothing: {},
};

for (const [name, message] of Object.entries(MESSAGES)) {
  test(`${name} is written as the general encoder writes it`, () => {
    const finished = create(SubmitMediaRequestSchema, message);
    const expected = Buffer.from(toBinary(SubmitMediaRequestSchema, finished));
    for (const given of [message, finished]) assert.deepEqual(submitMedia.requestSerialize(given), expected);
  });
}
