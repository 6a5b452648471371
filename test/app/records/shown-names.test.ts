import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sendCreationEmail } from '../../../src/app/accounts/users.ts';
import { cleanName } from '../../../src/app/submissions/uploads.ts';
import { formatColumns } from '../../../src/cli/views/columns.ts';
import { formatTable } from '../../../src/cli/views/table.ts';
import { addUser, openApp } from '../open-app.ts';

const NAME = 'photo\u202egpj.exe';
const SHOWN = 'photo\\u202egpj.exe';
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

test('an account keeps its name as sent', async () => {
  equal(cleanName(NAME), NAME);
  await using open = await openApp();
  const { id } = await addUser(open.app, open.admin, { name: NAME });
  equal(open.app.store.read.accounts.get(id)?.name, NAME);
});

test('a mail shows a name escaped, to the reader and in its address', async () => {
  await using open = await openApp();
  const user = await addUser(open.app, open.admin, { name: NAME });
  await sendCreationEmail(open.app, { principal: open.admin, id: user.id });
  const folder = join(open.folder, 'mail');
  const [file = ''] = await readdir(folder);
  const message = await readFile(join(folder, file), 'utf8');
  doesNotMatch(message, TURNING);
  match(message, /^To: "photo\\\\u202egpj\.exe" </m);
  ok(message.includes(`Hello ${SHOWN},`), message);
});

test('the log shows a name escaped, and a program reads what was logged', async () => {
  await using open = await openApp({ ASSAY_LOG_LEVEL: 'error' });
  const { app } = open;
  app.log.error({ file: NAME }, `cannot read ${NAME}`);
  const line = app.support.recentLog.lines().at(-1) ?? '';
  ok(line.includes(SHOWN), line);
  doesNotMatch(line, TURNING);
  const { file, msg } = JSON.parse(line) as { file: string; msg: string };
  deepEqual([file, msg], [NAME, `cannot read ${NAME}`]);
});

test('the tables of the command line show a name escaped, and stay aligned', () => {
  ok(formatTable(['file'], [[NAME]]).includes(SHOWN));
  equal(
    formatColumns([
      [NAME, 'a'],
      ['short', 'b'],
    ]),
    `${SHOWN}  a\n${'short'.padEnd(SHOWN.length)}  b`,
  );
});
