import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findDetector, findPacks } from '../../../src/engine/packs/installed-packs.ts';

const BYTES = Buffer.from('not a model, but bytes to hash');
const MODEL_FOLDER = join(import.meta.dirname, '../../../models');

interface PackFolder {
  root: string;
  folder: string;
}

const BOUNDS = { cautiousThreshold: 0.9, inconclusiveLow: 0.2, inconclusiveHigh: 0.8 };

async function writePack(root: string, changes: Record<string, unknown>): Promise<string> {
  const shipped = JSON.parse(await readFile(join(MODEL_FOLDER, 'assay-transformer/model.json'), 'utf8'));
  const sha256 = createHash('sha256').update(BYTES).digest('hex');
  const folder = join(root, 'models', 'tiny');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'model.onnx'), BYTES);
  // Fields of some tasks alone must not hide the fault that is tested.
  const decision = { ...shipped.decision, noPhotograph: undefined };
  const ofPictures = { refusal: undefined, stability: undefined, media: undefined, decision };
  const manifest = { ...shipped, ...ofPictures, id: 'tiny', sha256, ...changes };
  await writeFile(join(folder, 'model.json'), JSON.stringify(manifest));
  return folder;
}

async function withPack(
  changes: Record<string, unknown>,
  work: (pack: PackFolder) => Promise<void>,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'assay-packs-'));
  try {
    await work({ root, folder: await writePack(root, changes) });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Without `fault` the pack must be taken. */
function check(
  name: string,
  fault: RegExp | null,
  changes: Record<string, unknown>,
  harm: (pack: PackFolder) => Promise<unknown> = async () => {},
): void {
  test(name, async () => {
    await withPack(changes, async (pack) => {
      await harm(pack);
      const { installed, refused } = await findPacks([join(pack.root, 'models')]);
      if (fault === null) {
        deepEqual([installed.map((found) => found.pack.id), refused], [['tiny'], []]);
        return;
      }
      equal(installed.length, 0);
      match(refused.map((found) => found.fault).join(), fault);
    });
  });
}

check('takes a whole pack', null, {});
check('takes a pack that nothing outside was measured of', null, { outside: undefined });
check('refuses an outside set without its version', /model\.json: outside\.0\.version/, {
  outside: [
    { kind: 'image', set: 'a set', date: '2026-11-01', command: 'a command', tiers: [{ tier: 'clean' }] },
  ],
});
check('refuses an unknown field', /model\.json/, { surprise: true });
check('refuses a file name that leads out', /model\.json: file/, { file: '../model.onnx' });
check('refuses another hash', /SHA-256/, { sha256: '0'.repeat(64) });
check('refuses a name that is not the folder', /folder is named tiny/, { id: 'other' });
check('refuses bounds for no photograph of a model that does not know photographs', /media: .* photograph/, {
  media: ['drawing', 'text'],
  decision: { ...BOUNDS, weight: 1, noPhotograph: { photographBelow: 0.3, ...BOUNDS } },
});
check('refuses a medium that is named twice', /media: expected each medium once/, {
  media: ['drawing', 'drawing'],
});
check('refuses a task that no one runs', /model\.json: task/, { task: 'image-provenance' });
check('refuses a missing model', /ENOENT/, {}, ({ folder }) => rm(join(folder, 'model.onnx')));
check('refuses text that is not JSON', /JSON/, {}, ({ folder }) =>
  writeFile(join(folder, 'model.json'), '{'),
);
check('refuses a model that is a link', /not a plain file/, {}, async ({ root, folder }) => {
  await rename(join(folder, 'model.onnx'), join(root, 'elsewhere.onnx'));
  await symlink(join(root, 'elsewhere.onnx'), join(folder, 'model.onnx'));
});
check('refuses a description that is a link', /not a plain file/, {}, async ({ root, folder }) => {
  await rename(join(folder, 'model.json'), join(root, 'elsewhere.json'));
  await symlink(join(root, 'elsewhere.json'), join(folder, 'model.json'));
});
check('refuses a folder that is a link', /folder is a link/, {}, async ({ root, folder }) => {
  await rename(folder, join(root, 'elsewhere'));
  await symlink(join(root, 'elsewhere'), folder);
});

test('a folder that does not exist holds no packs', async () => {
  deepEqual(await findPacks([join(tmpdir(), 'assay-no-such-folder')]), { installed: [], refused: [] });
});

test('the same pack twice is used once', async () => {
  await withPack({}, async ({ root }) => {
    const folder = join(root, 'models');
    const { installed, refused } = await findPacks([folder, folder]);
    deepEqual([installed.length, refused.length], [1, 1]);
  });
});

check('refuses a speech detector of an operator', /comes with Assay only/, {
  task: 'voice-activity',
  mediaKind: 'audio',
  input: { name: 'input', layout: 'samples', sampleRate: 16_000 },
  view: { type: 'frames', frameSamples: 512, contextSamples: 64 },
  output: { name: 'output', type: 'probability', positive: 'speech' },
  ...{ axis: undefined, calibration: undefined, decision: undefined },
  ...{ minimumShortSide: undefined, figures: undefined, outside: undefined },
});

check(
  'refuses a model that lies in an npm package',
  /^model\.json: file: .*expected string, received object$/,
  { file: { package: 'nsfwjs', path: 'model.json' } },
);

test('the packs that Assay ships are whole', async () => {
  const { installed, refused } = await findPacks([MODEL_FOLDER]);
  deepEqual(refused, []);
  ok(installed.some(({ pack }) => pack.id === 'assay-transformer'));
  const detector = await findDetector();
  deepEqual([detector.installed.map(({ pack }) => pack.id), detector.refused], [['silero-vad'], []]);
});
