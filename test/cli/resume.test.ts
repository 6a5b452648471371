import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { writeBigVideo } from '../media/big-media.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { linesOf, runCommand } from './run-command.ts';

const SIZE_BYTES = 64 * 1024 ** 2;
/** The smallest that is continued; a smaller one is sent again. */
const RESUMABLE_BYTES = 16 * 1024 ** 2;
const CUT_AFTER_BYTES = 40 * 1024 ** 2;

/** Opens a line that breaks its first connection once it is to be cut, after so many bytes of the caller. */
async function openWorstLine(
  target: string,
  isCut: (carriedBytes: number) => boolean,
): Promise<{ line: Server; address: string; carried: number[] }> {
  const { hostname, port } = new URL(`http://${target}`);
  const carried: number[] = [];
  const line = createServer((near) => {
    const index = carried.push(0) - 1;
    const far = connect(Number(port), hostname);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    const look = (addedBytes: number) => {
      carried[index] = (carried[index] ?? 0) + addedBytes;
      if (index !== 0 || !isCut(carried[index])) return;
      near.resetAndDestroy();
      far.destroy();
    };
    near.on('data', (bytes) => look(bytes.length));
    far.on('data', () => look(0));
    near.pipe(far).pipe(near);
  });
  line.listen(0, '127.0.0.1');
  await once(line, 'listening');
  return { line, address: `127.0.0.1:${(line.address() as AddressInfo).port}`, carried };
}

for (const command of ['classify', 'validate'] as const) {
  test(`${command} goes on after a broken connection`, async () => {
    await using folder = await makeTemporaryFolder();
    await using daemon = await openBox({ models: 'tiny' });
    const file = await writeBigVideo(join(folder.path, 'a.mp4'), SIZE_BYTES, command);
    const { line, address, carried } = await openWorstLine(
      daemon.grpc,
      (carriedBytes) => carriedBytes > CUT_AFTER_BYTES,
    );
    const outcome = await runCommand({ address, key: TEST_KEY }, [command, '--json', file.path]);
    line.close();
    equal(outcome.code, 0, outcome.err);
    match(outcome.err, /^$/);
    const [answer] = linesOf(outcome);
    if (command === 'classify') equal(answer?.hash, file.sha256);
    else equal(answer?.filesize, SIZE_BYTES);
    const [first = 0, second = 0] = carried;
    ok(
      first > CUT_AFTER_BYTES && second > 0 && second < SIZE_BYTES,
      `carried ${carried.join(' and ')} bytes`,
    );
    if (command === 'classify') await assertFollowed(daemon, join(folder.path, 'b.mp4'));
  });
}

/** A file whose connection breaks over the answer was accepted: it is followed, not sent and paid again. */
async function assertFollowed(daemon: OpenBox, path: string): Promise<void> {
  const { sha256 } = await writeBigVideo(path, RESUMABLE_BYTES, 'accepted');
  const accepted = () =>
    daemon.open.app.store.read.records.list({ accountId: 1, limit: 9 }).filter(({ hash }) => hash === sha256);
  const { line, address, carried } = await openWorstLine(daemon.grpc, () => accepted().length > 0);
  const outcome = await runCommand({ address, key: TEST_KEY }, ['classify', '--json', path]);
  line.close();
  equal(outcome.code, 0, outcome.err);
  deepEqual(
    accepted().map(({ identifier }) => identifier),
    [linesOf(outcome)[0]?.identifier],
  );
  const [, second = 0] = carried;
  ok(second > 0 && second < RESUMABLE_BYTES, `carried ${carried.join(' and ')} bytes`);
}
