/** What is printed from the code must not drift: the pack's schema, and the code generated from proto/. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MODEL_PACK_SCHEMA_PATH, printModelPackSchema } from '../../schema/print-model-pack.ts';
import {
  LIBRARIES_PAGE,
  LIBRARIES_TABLE,
  printPage,
  printTable,
  readLibraries,
} from '../../schema/print-native-libraries.ts';
import { PROTO_FOLDER, updateProto } from '../../schema/print-proto.ts';

const root = join(import.meta.dirname, '..', '..');

test('schema/model-pack.schema.json is what the code prints', () => {
  assert.equal(readFileSync(MODEL_PACK_SCHEMA_PATH, 'utf8'), printModelPackSchema());
});

test('docs/native-libraries.md and its table are what the binaries say', () => {
  const libraries = readLibraries();
  assert.equal(readFileSync(LIBRARIES_PAGE, 'utf8'), printPage(libraries));
  assert.equal(readFileSync(LIBRARIES_TABLE, 'utf8'), printTable(libraries));
});

test('proto/ says what the tables of nouns and operations say', () => {
  for (const [path, text] of updateProto())
    assert.equal(readFileSync(join(PROTO_FOLDER, path), 'utf8'), text);
});

test('src/grpc/gen is what proto/ generates', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-generated-'));
  try {
    const bin = join(root, 'node_modules', '.bin');
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
    execFileSync(join(bin, 'buf'), ['generate', '--output', join(folder, 'proto')], {
      cwd: join(root, 'proto'),
      env,
    });
    const fresh = globSync('**/*_pb.ts', { cwd: folder }).sort();
    const generated = fresh.map((file) => file.slice(file.indexOf('gen/') + 'gen/'.length));
    assert.deepEqual(generated, globSync('**/*_pb.ts', { cwd: join(root, 'src/grpc/gen') }).sort());
    for (const [index, file] of fresh.entries()) {
      const kept = readFileSync(join(root, 'src/grpc/gen', generated[index] ?? ''), 'utf8');
      assert.equal(kept, readFileSync(join(folder, file), 'utf8'), file);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
