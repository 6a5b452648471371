/** What a watched folder shows while it is away, without credits or exchanged, under a clock that the test moves. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createPlan } from '../../../src/app/accounts/plans.ts';
import { createUser, grantCredits } from '../../../src/app/accounts/users.ts';
import { addWatchFolder, removeWatchFolder } from '../../../src/app/watch-folders/watch-folders.ts';
import { DONE_FOLDER } from '../../../src/domain/automation/watch-folder.ts';
import { contentOf } from '../../simulator/clients/actions.ts';
import { ADMIN_ID, watchedFolderOf } from '../../simulator/life.ts';
import { inOneThread } from '../../simulator/one-thread.ts';
import { Watched } from '../../simulator/watched.ts';

const hashAt = (...path: string[]) =>
  createHash('sha256')
    .update(readFileSync(join(...path)))
    .digest('hex');
const hashOf = (content: number) => createHash('sha256').update(contentOf(content)).digest('hex');

const cases: [name: string, run: () => Promise<void>][] = [];
const holds = (...one: (typeof cases)[number]): number => cases.push(one);

holds('done files move with their results, over no other file', async () => {
  await using folder = await Watched.open('move');
  const { path } = folder;
  mkdirSync(join(path, 'sport'));
  mkdirSync(join(path, DONE_FOLDER, 'sport'), { recursive: true });
  writeFileSync(join(path, DONE_FOLDER, 'sport', 'goal.png'), contentOf(1));
  folder.lay('sport/goal.png', 2);
  await folder.finished(1);
  deepEqual(folder.names('sport'), []);
  const names = folder.names(`${DONE_FOLDER}/sport`);
  equal(names.length, 4, names.join());
  equal(hashAt(path, DONE_FOLDER, 'sport', 'goal.png'), hashOf(1));
  const other = names.find((name) => /^goal-[0-9a-f]{8}\.png$/.test(name));
  ok(other !== undefined, names.join());
  equal(hashAt(path, DONE_FOLDER, 'sport', other), hashOf(2));
});

holds(
  'a root that is renamed away, or a mount point left empty, is away and takes nothing back',
  async () => {
    await using folder = await Watched.open('leave', { below: 'away/inner' });
    const { stage, path } = folder;
    const [root, unplugged] = [join(path, '..'), join(stage.folder, 'unplugged')];
    folder.lay('one.png', 1);
    await folder.finished(1);
    renameSync(root, unplugged);
    const isAway = (reason: RegExp) => () =>
      folder.show().state === 'away' && reason.test(folder.show().reason);
    await stage.until(isAway(/^it is not there$/), 'away');
    mkdirSync(path, { recursive: true });
    await stage.until(isAway(/a share that is not mounted/), 'empty');
    equal(folder.show().finished, 1);
    renameSync(root, join(stage.folder, 'mount-point'));
    renameSync(unplugged, root);
    folder.lay('two.png', 2);
    await folder.finished(2);
    equal(folder.records().length, 2);
  },
);

holds('a folder above that is exchanged for a link is not followed', async () => {
  await using folder = await Watched.open('leave', { below: 'exchanged/inner' });
  const { stage, path } = folder;
  const elsewhere = join(stage.folder, 'elsewhere');
  mkdirSync(join(elsewhere, 'inner'), { recursive: true });
  writeFileSync(join(elsewhere, 'inner', 'foreign.png'), contentOf(1));
  renameSync(join(path, '..'), join(stage.folder, 'exchanged'));
  symlinkSync(elsewhere, join(path, '..'));
  await stage.until(() => folder.show().state === 'away' && /a link/.test(folder.show().reason), 'away');
  await stage.pass(60_000);
  deepEqual([folder.show().waiting, folder.records().length], [0, 0]);
});

holds('without credits a folder says so, and goes on once there are some', async () => {
  await using folder = await Watched.open('leave', { below: 'rich' });
  const { stage, app } = folder;
  const principal = stage.life.principalOf(ADMIN_ID);
  const poor = join(watchedFolderOf(stage.folder), 'poor');
  mkdirSync(poor);
  const plan = await stage.drive(
    createPlan(app, { principal, fields: { name: 'paid', image_credits: 5 } }),
    'a plan',
  );
  const fields = { name: 'Desk', email: 'desk@example.org', pricing_id: String(plan.id) };
  const { id: userId } = await stage.drive(createUser(app, { principal, fields }), 'an account');
  const grant = () =>
    stage.drive(grantCredits(app, { principal, id: userId, amount: 5, note: '' }), 'credits');
  await grant();
  const id = await folder.add(poor, 'leave', userId);
  for (const content of [1, 2]) writeFileSync(join(poor, `${content}.png`), contentOf(content));
  const isPoor = () => folder.show(id).state === 'no_credits' && folder.show(id).finished === 1;
  await stage.until(isPoor, 'no credits');
  match(folder.show(id).reason, /costs 5 credits, 0 are left/);
  equal(folder.show(id).failed, 0);
  await grant();
  await stage.until(() => folder.show(id).finished === 2, 'the second result');
  equal(app.store.read.balance(userId).available, 0);
});

holds('a file that is written anew is another one; failed ones are tried again when asked', async () => {
  await using folder = await Watched.open('leave');
  const { stage, path } = folder;
  stage.executor.faults = { dies: 0, hangs: 0, refuses: 1 };
  folder.lay('a.png', 1);
  await stage.until(() => folder.show().failed === 1, 'a failure');
  await folder.resume();
  equal(folder.show().failed, 0);
  await stage.until(() => folder.show().failed === 1, 'the same failure');
  stage.executor.faults = { dies: 0, hangs: 0, refuses: 0 };
  folder.lay('a.png', 2);
  await stage.until(() => folder.show().finished === 1 && folder.show().failed === 0, 'a result');
  linkSync(join(path, 'a.png'), join(path, 'b.png'));
  await folder.finished(2);
});

holds('a folder that is watched anew with other options has its files judged under those', async () => {
  await using folder = await Watched.open('leave');
  const { stage, app, path, id } = folder;
  const principal = stage.life.principalOf(ADMIN_ID);
  folder.lay('a.png', 1);
  await folder.finished(1);
  await stage.drive(removeWatchFolder(app, { principal, id }), 'a removal');
  // No folder is watched: no clock moves what is forgotten.
  while (app.store.read.automation.watchFolder(id) !== undefined) await delay(1);
  const fields = { path, options: ['ref_id=desk'] };
  const { folder: anew } = await stage.drive(addWatchFolder(app, { principal, fields }), 'a rule');
  await stage.until(() => folder.show(anew.id).failed + folder.show(anew.id).finished === 1, 'an end');
  equal(app.store.read.automation.watchedFile(anew.id, 'a.png')?.reason, '');
  deepEqual(
    folder
      .records()
      .map(({ refId }) => refId)
      .sort(),
    ['a.png', 'desk'],
  );
});

holds('a failed file that is taken while failed ones are asked for again is counted once', async () => {
  await using folder = await Watched.open('leave');
  const { stage, app } = folder;
  stage.executor.faults = { dies: 0, hangs: 0, refuses: 1 };
  folder.lay('a.png', 1);
  await stage.until(() => folder.show().failed === 1, 'a failure');
  await folder.pause();
  const row = folder.row('a.png');
  ok(row !== undefined);
  const taken = { ...row, state: 'submitted', at: app.clock.now() } as const;
  const taking = app.store.transact((tx) => tx.automation.putWatchedFile(taken));
  // This look reads the files of before.
  await Promise.all([stage.drive(taking, 'a look'), folder.resume()]);
  const { counts } = app.store.read.automation.watchFolder(folder.id) ?? {};
  const rows = app.store.read.automation.watchedFiles({ folderId: folder.id, state: 'submitted', limit: 9 });
  deepEqual([counts?.submitted, counts?.failed, rows.length], [1, 0, 1]);
});

inOneThread(import.meta.filename, () => {
  for (const [name, run] of cases) test(name, run);
});
