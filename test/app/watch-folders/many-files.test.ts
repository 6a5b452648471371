/** A watched folder remembers a hundred thousand new files between two looks: looks grow with its files, not with their square. */
import { equal } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { FolderPass, type SeenFiles } from '../../../src/app/watch-folders/folder-pass.ts';
import { openPlace } from '../../../src/app/watch-folders/watched-place.ts';
import { NO_FILES } from '../../../src/domain/automation/watch-folder.ts';
import { LookPace } from '../../../src/machinery/look-pace.ts';
import { openService } from '../../interface/service.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

/** An older version remembered only ten thousand files. */
const FILES = 10_500;
const WRITTEN_AT_ONCE = 500;
const LOOKS_A_SECOND = 1_000_000;

test('all new files of a large folder are remembered at the first look, and each change of one', async () => {
  await using place = await makeTemporaryFolder();
  const path = join(place.path, 'drop');
  await mkdir(path);
  for (let from = 0; from < FILES; from += WRITTEN_AT_ONCE) {
    const names = Array.from({ length: WRITTEN_AT_ONCE }, (_, index) => join(path, `${from + index}.jpg`));
    await Promise.all(names.map((name) => writeFile(name, 'a file')));
  }
  await using service = await openService({ ASSAY_WATCH_ROOTS: place.path });
  const { app } = service.open;
  // The rule is not stored, so that the daemon takes nothing from the folder.
  const rule = { accountId: 1, done: 'leave', options: {}, isPaused: false, isRemoved: false } as const;
  const folder = { id: 1, path, ...rule, createdAt: 0, counts: NO_FILES };
  const look = async (before: SeenFiles): Promise<SeenFiles> => {
    await using root = await openPlace([place.path], path);
    const pass = new FolderPass(app, folder, before, new AbortController().signal);
    return (await pass.run(root, new LookPace(LOOKS_A_SECOND, app.clock))).seen;
  };
  const first = await look(new Map());
  equal(first.size, FILES);
  // Nothing has settled, however long the looks take here.
  const notSettled = new Map(Array.from(first.keys(), (seen) => [seen, Number.POSITIVE_INFINITY]));
  await writeFile(join(path, '7.jpg'), 'a file that grew');
  const second = await look(notSettled);
  equal(second.size, FILES);
  equal([...second.keys()].filter((seen) => !first.has(seen)).length, 1);
});
