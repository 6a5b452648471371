/** A watched folder: what people lay into it, and what must have become of it. */
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addWatchFolder } from '../../src/app/watch-folders/watch-folders.ts';
import { DONE_ACTIONS } from '../../src/domain/automation/watch-folder.ts';
import { MICROSECONDS_PER_SECOND } from '../../src/domain/time.ts';
import type { Random } from '../heavy/random.ts';
import type { ActionParts } from './clients/action.ts';
import { contentOf } from './clients/actions.ts';
import { ADMIN_ID, type Life, watchedFolderOf } from './life.ts';

/** Bytes of a name that Linux takes, and of the ending of a result beside it. */
const NAME_BYTES_MAX = 255;
/** Share of the names that are as long as a name may be. */
const LONG_NAMES_SHARE = 0.1;
const LONG_NAME_BYTES = NAME_BYTES_MAX - 4;
/** A record that ended is finished within seconds; its place in the folder must not wait for a person. */
const FINISH_SECONDS_MAX = 60;

export async function watchDrops(
  life: Life,
  folder: string,
  accountId: number,
  random: Random,
): Promise<void> {
  const fields = { path: watchedFolderOf(folder), done: random.pick(DONE_ACTIONS) };
  await addWatchFolder(life.app, { principal: life.principalOf(ADMIN_ID), userId: accountId, fields });
}

/** Some files at once, some under names as long as a name may be. */
export async function dropFiles(parts: ActionParts): Promise<void> {
  const { random } = parts;
  for (let files = random.whole(1, 4); files > 0; files -= 1) {
    const number = random.whole(0, 1e9);
    const isLong = random.chance(LONG_NAMES_SHARE);
    const name = `${isLong ? 'n'.repeat(LONG_NAME_BYTES - 14) : ''}${String(number).padStart(10, '0')}.png`;
    layFile(parts, name, random.whole(0, 3));
  }
}

/** Its time is the simulated one, since files are known by size and time. */
export function layFile({ life, folder }: ActionParts, name: string, content: number): void {
  if (life.app.store.read.automation.watchFolders().length === 0) return;
  const path = join(watchedFolderOf(folder), name);
  writeFileSync(path, contentOf(content));
  const seconds = life.app.clock.now() / MICROSECONDS_PER_SECOND;
  utimesSync(path, seconds, seconds);
}

/** Every file that was taken has come to an end with its results, and nothing that Assay made for it in between is left. */
export function checkDrops({ life, folder }: ActionParts): void {
  const { store, clock } = life.app;
  const left = allNames(watchedFolderOf(folder)).filter((name) => /(^|\/)\.assay-/.test(name));
  if (left.length > 0)
    throw new Error(`every place is freed: ${left.length} temporary files are left in a watched folder`);
  for (const { id, counts, unwritten = 0 } of store.read.automation.watchFolders()) {
    if (unwritten > 0) throw new Error(`every result is written: those of ${unwritten} files are not`);
    const rows = store.read.automation.watchedFiles({ folderId: id, state: 'submitted', limit: 1000 });
    if (rows.length !== counts.submitted)
      throw new Error(
        `every place is freed: ${counts.submitted} files count as submitted, ${rows.length} are`,
      );
    for (const { path, identifier, reason, at } of rows) {
      const record = store.read.records.get(identifier);
      const endedAt = record && store.read.analyses.get(record.analysisId)?.endedAt;
      if (endedAt === null) continue;
      // What was answered from the cache had ended before the file came.
      const seconds = (clock.now() - Math.max(at, endedAt ?? at)) / MICROSECONDS_PER_SECOND;
      if (seconds > FINISH_SECONDS_MAX)
        throw new Error(
          `every place is freed: ${path.slice(0, 20)}… ended ${seconds} s ago and is not finished: ${reason}`,
        );
    }
  }
}

function allNames(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : [];
}
