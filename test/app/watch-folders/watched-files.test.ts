/** A result lies beside the judged file alone and replaces no file of others. One folder under two paths is watched once. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DONE_FOLDER } from '../../../src/domain/automation/watch-folder.ts';
import { contentOf } from '../../simulator/clients/actions.ts';
import { watchedFolderOf } from '../../simulator/life.ts';
import { inOneThread } from '../../simulator/one-thread.ts';
import { Watched } from '../../simulator/watched.ts';

/** Time for two looks and for a file to lie still. */
const TAKEN_WITHIN_MS = 15_000;
const NAME_BYTES_MAX = 255;

const hashOf = (content: number) => createHash('sha256').update(contentOf(content)).digest('hex');
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `${index}.png`);

const cases: [name: string, run: () => Promise<void>][] = [];
const holds = (...one: (typeof cases)[number]): number => cases.push(one);

holds('after a large drop what comes next is taken as soon as ever', async () => {
  await using folder = await Watched.open('leave');
  const { stage } = folder;
  stage.executor.takesMsMax = 4000;
  const names = numbered(40);
  for (const name of names) folder.lay(name);
  await stage.until(() => names.every((name) => folder.row(name) !== undefined), 'the drop');
  folder.lay('late.png');
  await stage.until(() => folder.row('late.png') !== undefined, 'the latecomer', TAKEN_WITHIN_MS);
});

holds('a folder that is paused amid a drop takes nothing more', async () => {
  await using folder = await Watched.open('leave');
  const { stage } = folder;
  stage.executor.takesMsMax = 4000;
  for (const name of numbered(40)) folder.lay(name);
  await stage.until(() => folder.records().length >= 6, 'some files');
  await folder.pause();
  // A file that was being copied at that time still comes.
  const most = folder.records().length + 4;
  await stage.pass(300_000);
  ok(folder.records().length <= most, `${folder.records().length} of at most ${most}`);
  equal(folder.show().state, 'paused');
  await folder.resume();
  await folder.finished(40);
});

for (const done of ['sidecar', 'move'] as const) {
  holds(`names as long as a file system takes them have results, too: ${done}`, async () => {
    await using folder = await Watched.open(done);
    const names = ['a', 'é', '🦊'].flatMap((letter) =>
      ['1', '2'].map((last) => {
        const count = Math.floor((NAME_BYTES_MAX - 5) / Buffer.byteLength(letter));
        return `${letter.repeat(count)}${last}.png`;
      }),
    );
    for (const name of names) folder.lay(name);
    await folder.finished(names.length);
    const results = folder.names(done === 'move' ? DONE_FOLDER : '').filter((name) => !names.includes(name));
    equal(results.length, 2 * names.length, results.join('\n'));
    ok(results.every((name) => /-[0-9a-f]{8}\.assay\.(json|xmp)$/.test(name) && !name.includes('\ufffd')));
    equal(folder.show().unwritten, 0);
  });
}

holds('refused results hold no room, are reported, and are written once they can be', async () => {
  await using folder = await Watched.open('move');
  const { stage, path } = folder;
  writeFileSync(join(path, DONE_FOLDER), 'no folder');
  const names = numbered(210);
  for (const name of names) folder.lay(name);
  await stage.until(() => folder.show().failed === names.length, 'all are taken', 3_600_000);
  await stage.until(() => folder.show().state === 'watching', 'the end of a look');
  const { submitted, unwritten, reason } = folder.show();
  deepEqual({ submitted, unwritten }, { submitted: 0, unwritten: names.length });
  match(reason, /the results of 210 files could not be written; the last, \d+\.png: .*ENOTDIR/);
  rmSync(join(path, DONE_FOLDER));
  const records = folder.records().length;
  await folder.resume();
  await folder.finished(names.length);
  deepEqual([folder.show().unwritten, folder.show().reason], [0, '']);
  equal(folder.records().length, records);
  equal(folder.names(DONE_FOLDER).length, 3 * names.length);
});

holds('a result that could not be written for a reason that passes is tried again by itself', async () => {
  await using folder = await Watched.open('sidecar');
  const { stage, path } = folder;
  const mark = createHash('sha256').update('a.png.json').digest('hex').slice(0, 16);
  mkdirSync(join(path, `.assay-${mark}.tmp`));
  folder.lay('a.png');
  await stage.until(() => folder.show().unwritten === 1, 'a refusal');
  ok((folder.row('a.png')?.retryAt ?? 0) > 0);
  rmSync(join(path, `.assay-${mark}.tmp`), { recursive: true });
  await folder.finished(1);
  equal(folder.show().unwritten, 0);
  deepEqual(folder.names(), ['a.png', 'a.png.assay.json', 'a.png.assay.xmp']);
});

holds('what a kill left half written an hour ago is removed, and nothing else', async () => {
  await using folder = await Watched.open('sidecar');
  const [old, young] = ['.assay-0123456789abcdef.tmp', '.assay-fedcba9876543210.tmp'];
  const seconds = folder.stage.clock.nowMs / 1000;
  folder.lay(old, 0, seconds - 7200);
  folder.lay('.hidden.tmp', 0, seconds - 7200);
  folder.lay(young);
  await folder.stage.pass(20_000);
  deepEqual(folder.names(), [young, '.hidden.tmp']);
});

holds('a file that is replaced by one of equal size and time is judged anew', async () => {
  await using folder = await Watched.open('sidecar');
  const seconds = folder.stage.clock.nowMs / 1000;
  folder.lay('a.png', 1, seconds);
  await folder.finished(1);
  equal(folder.json('a.png.assay.json').sha256, hashOf(1));
  folder.exchange('a.png', 2, seconds);
  await folder.stage.until(() => folder.records().length === 2, 'the second record');
  await folder.finished(1);
  equal(folder.json('a.png.assay.json').sha256, hashOf(2));
  deepEqual(folder.names(), ['a.png', 'a.png.assay.json', 'a.png.assay.xmp']);
});

for (const done of ['sidecar', 'move'] as const) {
  holds(`no verdict lies beside a file that was exchanged while it was judged: ${done}`, async () => {
    await using folder = await Watched.open(done);
    const { stage } = folder;
    const seconds = stage.clock.nowMs / 1000;
    folder.lay('a.png', 1, seconds);
    await stage.until(() => folder.row('a.png')?.state === 'submitted', 'a record');
    // The file is changed in place: its inode stays.
    folder.lay('a.png', 2, seconds);
    await stage.until(() => folder.records().length === 2, 'the second record');
    await folder.finished(1);
    const below = done === 'move' ? `${DONE_FOLDER}/` : '';
    equal(folder.json(`${below}a.png.assay.json`).sha256, hashOf(2));
    equal(
      createHash('sha256')
        .update(readFileSync(join(folder.path, `${below}a.png`)))
        .digest('hex'),
      hashOf(2),
    );
  });
}

holds('a file that only got another mode keeps its record', async () => {
  await using folder = await Watched.open('sidecar');
  const seconds = folder.stage.clock.nowMs / 1000;
  folder.lay('a.png', 1, seconds);
  await folder.finished(1);
  const { changedNs } = folder.row('a.png') ?? {};
  chmodSync(join(folder.path, 'a.png'), 0o640);
  await folder.stage.until(() => folder.row('a.png')?.changedNs !== changedNs, 'the comparison');
  await folder.stage.pass(60_000);
  equal(folder.records().length, 1);
  // A later replacement is noticed, too.
  folder.exchange('a.png', 2, seconds);
  await folder.stage.until(() => folder.records().length === 2, 'the second record');
});

holds('results lie over no file of somebody else, and own ones are written anew', async () => {
  await using folder = await Watched.open('sidecar');
  const [json, xmp] = ['a.png.assay.json', 'a.png.assay.xmp'];
  writeFileSync(join(folder.path, json), '{"assay": "of gold"}');
  writeFileSync(join(folder.path, xmp), '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>');
  folder.lay('a.png', 1);
  await folder.finished(1);
  equal(readFileSync(join(folder.path, json), 'utf8'), '{"assay": "of gold"}');
  equal(readFileSync(join(folder.path, xmp), 'utf8'), '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>');
  const letters = folder.row('a.png')?.identifier.slice(0, 8);
  const second = `a.png.assay-${letters}.json`;
  deepEqual(folder.names(), [...['a.png', second, `a.png.assay-${letters}.xmp`, json, xmp].sort()]);
  equal(folder.json(second).sha256, hashOf(1));
  await folder.stage.pass(30_000);
  deepEqual([folder.show().finished, folder.show().skipped], [1, 0]);
  // A person's notes in a result of ours are not overwritten.
  const own = folder.json(second);
  rmSync(join(folder.path, json));
  writeFileSync(join(folder.path, json), JSON.stringify({ ...own, note: 'checked by Ann' }));
  folder.lay('a.png', 2);
  await folder.stage.until(() => folder.row('a.png')?.identifier !== own.identifier, 'the second record');
  await folder.finished(1);
  equal(folder.json(json).note, 'checked by Ann');
});

holds('one folder under two paths is watched once', async () => {
  const alias = (machine: string) => join(machine, 'alias');
  await using folder = await Watched.open('leave', {
    watchRoots: (machine) => {
      mkdirSync(join(watchedFolderOf(machine), 'inner'));
      symlinkSync(watchedFolderOf(machine), alias(machine));
      symlinkSync(join(watchedFolderOf(machine), 'inner'), join(machine, 'below'));
      return [watchedFolderOf(machine), alias(machine), join(machine, 'below')];
    },
  });
  const { stage } = folder;
  for (const other of [
    alias(stage.folder),
    join(stage.folder, 'below'),
    join(alias(stage.folder), 'inner'),
  ]) {
    await rejects(
      folder.add(other, 'leave'),
      /no other one watches, found .* of folder 1, under another path/,
    );
  }
  const [same, below] = [
    await folder.addUnchecked(alias(stage.folder)),
    await folder.addUnchecked(join(stage.folder, 'below')),
  ];
  await stage.pass(10_000);
  folder.lay('a.png', 1);
  folder.lay('inner/b.png', 2);
  await stage.until(() => folder.show().finished === 1 && folder.show(below).finished === 1, 'both files');
  await stage.pass(30_000);
  equal(folder.records().length, 2);
  equal(folder.show(same).state, 'refused');
  match(folder.show(same).reason, /the folder that folder 1 watches/);
  deepEqual(folder.show().obstacles, [`inner: folder ${below} watches it`]);
  ok(existsSync(join(folder.path, 'inner', 'b.png')));
});

inOneThread(import.meta.filename, () => {
  for (const [name, run] of cases) test(name, run);
});
