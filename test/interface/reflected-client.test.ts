/** A client of grpc-js and protobuf alone builds its messages from server reflection, and knows no file of this repository. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import {
  create,
  createFileRegistry,
  type DescMethod,
  type DescService,
  type FileRegistry,
  fromBinary,
  fromJson,
  type JsonValue,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { makePicture } from './media.ts';
import { addCustomer, type Service, shareService } from './service.ts';

const REFLECTION = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
/** Field numbers of grpc.reflection.v1.ServerReflectionRequest and its response. */
const FILE_CONTAINING_SYMBOL = 4;
const LIST_SERVICES = 7;
const FILE_DESCRIPTOR_RESPONSE = 4;
const LIST_SERVICES_RESPONSE = 6;

// biome-ignore lint/suspicious/noExplicitAny: its messages are known at run time only
type Json = any;
const asIs = (bytes: Buffer): Buffer => bytes;

let service: Service;
let client: Client;
let metadata: Metadata;
before(async () => {
  service = await shareService();
  const { key } = await addCustomer(service);
  client = new Client(service.grpc, credentials.createInsecure());
  metadata = new Metadata();
  metadata.set('x-api-key', key);
});
after(async () => {
  client.close();
  await service[Symbol.asyncDispose]();
});

async function askReflection(field: number, text: string): Promise<Buffer> {
  const call = client.makeBidiStreamRequest(REFLECTION, asIs, asIs, metadata);
  const request = new BinaryWriter().tag(field, 2).string(text).finish();
  call.write(Buffer.from(request));
  call.end();
  for await (const answer of call) return answer as Buffer;
  throw new Error('reflection says nothing');
}

/** The values of one of a message's fields; all of them are bytes here. */
function fieldsOf(message: Uint8Array, wanted: number): Uint8Array[] {
  const reader = new BinaryReader(message);
  const found: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === wanted) found.push(reader.bytes());
    else reader.skip(wireType, field);
  }
  return found;
}

async function servicesOf(): Promise<string[]> {
  const answer = await askReflection(LIST_SERVICES, '*');
  return fieldsOf(answer, LIST_SERVICES_RESPONSE)
    .flatMap((list) => fieldsOf(list, 1))
    .flatMap((each) => fieldsOf(each, 1))
    .map((name) => new TextDecoder().decode(name));
}

async function registryOf(symbol: string): Promise<FileRegistry> {
  const answer = await askReflection(FILE_CONTAINING_SYMBOL, symbol);
  const files: FileDescriptorProto[] = fieldsOf(answer, FILE_DESCRIPTOR_RESPONSE)
    .flatMap((response) => fieldsOf(response, 1))
    .map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
  // A descriptor set needs each file after those that it imports.
  const byName = new Map(files.map((file) => [file.name, file]));
  const ordered = new Set<FileDescriptorProto>();
  const add = (file: FileDescriptorProto | undefined): void => {
    if (file === undefined || ordered.has(file)) return;
    for (const name of file.dependency) add(byName.get(name));
    ordered.add(file);
  };
  for (const file of files) add(file);
  return createFileRegistry(create(FileDescriptorSetSchema, { file: [...ordered] }));
}

function methodOf(described: DescService, name: string): DescMethod {
  const method = described.methods.find((each) => each.name === name);
  assert.ok(method !== undefined, name);
  return method;
}

function wireOf(method: DescMethod) {
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    serialize: (json: JsonValue) => Buffer.from(toBinary(method.input, fromJson(method.input, json))),
    deserialize: (bytes: Buffer): Json => toJson(method.output, fromBinary(method.output, bytes)),
  };
}

function unary(method: DescMethod, request: JsonValue): Promise<Json> {
  const { path, serialize, deserialize } = wireOf(method);
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, serialize, deserialize, request, metadata, (error, answer) => {
      if (error === null) resolve(answer);
      else reject(error);
    });
  });
}

test('reflection lists every service', async () => {
  const names = (await servicesOf()).filter((name) => !name.startsWith('grpc.reflection.')).sort();
  assert.deepEqual(names, [
    'assay.v1.AccountService',
    'assay.v1.ApplianceService',
    'assay.v1.ClassificationService',
    'assay.v1.CustodyService',
    'assay.v1.DeskService',
    'assay.v1.EvidenceService',
    'assay.v1.MarksService',
    'assay.v1.NotifyService',
    'assay.v1.PartnerService',
    'assay.v1.SearchService',
    'assay.v1.TrustService',
    'assay.v1.WatchFolderService',
    'grpc.health.v1.Health',
  ]);
});

test('a plain client submits, follows the live status, reads the result and overrides it', async () => {
  const registry = await registryOf('assay.v1.ClassificationService');
  const described = registry.getService('assay.v1.ClassificationService');
  assert.ok(described !== undefined);
  const classify = wireOf(methodOf(described, 'ClassifyMedia'));
  const picture = await makePicture();
  const call = client.makeBidiStreamRequest(
    classify.path,
    classify.serialize,
    classify.deserialize,
    metadata,
  );
  call.write({ header: { name: 'plain.png', kind: 'MEDIA_KIND_IMAGE', refId: 'plain' } });
  call.write({ chunk: picture.toString('base64') });
  const sha256 = createHash('sha256').update(picture).digest('hex');
  call.write({ commit: { sizeBytes: String(picture.length), sha256 } });
  call.end();
  const seen: string[] = [];
  let record: Json;
  for await (const { classification } of call) {
    record = classification;
    if (seen.at(-1) !== record.status) seen.push(record.status);
  }
  assert.deepEqual(seen, ['STATUS_NEW', 'STATUS_DONE'], 'the status was pushed, not polled');
  const get = methodOf(described, 'GetClassification');
  const { classification } = await unary(get, { identifier: record.identifier });
  assert.deepEqual(classification.verdict, record.verdict);
  assert.equal(classification.verdict.classification, 'LABEL_ARTIFICIAL');
  const override = { kind: 'MEDIA_KIND_IMAGE', hash: record.hash, classification: 'LABEL_HUMAN' };
  const answer = await unary(methodOf(described, 'OverrideClassification'), override);
  assert.deepEqual(answer, { classification: 'LABEL_HUMAN', type: 'MEDIA_KIND_IMAGE', hash: record.hash });
  const corrected = await unary(get, { identifier: record.identifier });
  assert.equal(corrected.classification.forceClassification, 'LABEL_HUMAN');
});

test('a plain client asks how the server and each service are', async () => {
  const registry = await registryOf('grpc.health.v1.Health');
  const described = registry.getService('grpc.health.v1.Health');
  assert.ok(described !== undefined);
  const [list] = described.methods.filter(({ name }) => name === 'List');
  // Go's protobuf reads no map whose entry has another name.
  assert.deepEqual(
    list?.output.proto.nestedType.map(({ name }) => name),
    ['StatusesEntry'],
  );
  const check = methodOf(described, 'Check');
  for (const named of ['', 'assay.v1.ClassificationService'])
    assert.deepEqual(await unary(check, { service: named }), { status: 'SERVING' });
  await assert.rejects(unary(check, { service: 'assay.v1.Nothing' }), { code: status.NOT_FOUND });
  const { statuses } = await unary(methodOf(described, 'List'), {});
  assert.deepEqual(statuses['assay.v1.TrustService'], { status: 'SERVING' });
  const { path, serialize, deserialize } = wireOf(methodOf(described, 'Watch'));
  for (const [named, said] of [
    ['', 'SERVING'],
    ['assay.v1.Nothing', 'SERVICE_UNKNOWN'],
  ] as const) {
    const watch = client.makeServerStreamRequest(path, serialize, deserialize, { service: named }, metadata);
    const [first] = await once(watch, 'data');
    assert.deepEqual(first, { status: said });
    watch.on('error', () => {});
    watch.cancel();
  }
});
