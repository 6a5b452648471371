/** Fallen decoders without the kernel's filter: `sealing.key` stays unread, other files stay, no thread waits for a pipe. */
import { cp, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestDaemon } from '../../daemon.ts';
import { distinctPicture, KEY_HEADERS, statusOf } from '../../faults/rounds/submissions.ts';
import { type Trick, tricksSource } from '../../media/fallen-decoder.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { numberArgument } from '../random.ts';

const ROUNDS_DEFAULT = 500;
const AT_ONCE = 16;
/** A round that costs its decoder ends at once. */
const ENVIRONMENT = { ASSAY_ANALYSIS_ATTEMPTS_MAX: '1', ASSAY_DECODE_SLOTS: '4' };
const END_MS_MAX = 60_000;
/** Longer than it takes to keep the heatmap: the slot is emptied after that. */
const PLAY_MS = 1000;
const ROOT = join(import.meta.dirname, '../../..');
/** The strongest wall of the box, and none. */
const WALLS = ['strongest', 'limits only'] as const;
/** `--sources=FOLDER` attacks other sources, `--wall=` and `--trick=` one of each. */
function argumentOf(name: string): string | undefined {
  return process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
}

/** 10^5 names are more than a slot may leave: each costs the child, so few rounds show it. */
const TRICKS: readonly { trick: Trick; share: number }[] = [
  { trick: 'file becomes link', share: 1 },
  { trick: 'below becomes link', share: 1 },
  { trick: 'file becomes pipe', share: 1 },
  { trick: 'many names', share: 0.01 },
];

const DECODER = (trick: Trick) => `
${tricksSource({ made: 'heatmap.png', secret: '../../../sealing.key', canary: '../../../canary', names: 100_000, playMs: PLAY_MS })}
const send = process.send.bind(process);
process.send = (message, ...rest) =>
  message.type === 'answered' && 'heatmap' in message.answer ? play('${trick}', (sent) => send(message, sent)) : send(message, ...rest);
await import('./honest-decode.ts');`;

async function copyProgram(folder: string, wall: (typeof WALLS)[number], trick: Trick): Promise<string> {
  const program = join(folder, 'program');
  await mkdir(program);
  const sources = argumentOf('sources') ?? ROOT;
  for (const name of await readdir(ROOT)) {
    if (name !== 'src' && name !== '.git') await symlink(join(ROOT, name), join(program, name));
  }
  await cp(join(sources, 'src'), join(program, 'src'), { recursive: true });
  const worker = join(program, 'src/worker');
  await rename(join(worker, 'decode.ts'), join(worker, 'honest-decode.ts'));
  await writeFile(join(worker, 'decode.ts'), DECODER(trick));
  const isolation = join(program, 'src/engine/decode/isolation.ts');
  const text = await readFile(isolation, 'utf8');
  const bare = text.replace('const kernel = await findKernelFilter(trialFolder);', 'const kernel = null;');
  const walls = 'if (await isPossible(choice, trialFolder)) yield choice;';
  if (!bare.includes(walls)) throw new Error('the walls are tried elsewhere now');
  await writeFile(isolation, wall === 'strongest' ? bare : bare.replace(walls, ''));
  return program;
}

interface Outcome {
  read: number;
  blocked: number;
  done: number;
  errored: number;
}

/** Sends a picture of its own, waits for its end and looks at its heatmap. */
async function playRound(daemon: TestDaemon, round: number, secret: Buffer, outcome: Outcome): Promise<void> {
  const body = new FormData();
  body.set('image', new Blob([new Uint8Array(await distinctPicture(round, 224))]), 'picture.jpg');
  body.set('with_heatmap', 'true');
  const headers = KEY_HEADERS;
  const sent = await fetch(`${daemon.http}/api/classification`, { method: 'POST', headers, body });
  const id = await sent.text();
  if (sent.status !== 200) throw new Error(`refused: ${sent.status} ${id}`);
  const deadline = performance.now() + END_MS_MAX;
  let status = 'new';
  for (; status === 'new' && performance.now() < deadline; status = await statusOf(daemon, id))
    await sleep(20);
  outcome[status === 'done' ? 'done' : status === 'new' ? 'blocked' : 'errored'] += 1;
  if (status !== 'done') return;
  const heatmap = await fetch(`${daemon.http}/api/classification/heatmap/${id}`, { headers });
  if (Buffer.from(await heatmap.arrayBuffer()).includes(secret)) outcome.read += 1;
}

const rounds = numberArgument('rounds', ROUNDS_DEFAULT);
for (const wall of WALLS) {
  for (const { trick, share } of TRICKS) {
    if ((argumentOf('wall') ?? wall) !== wall || (argumentOf('trick') ?? trick) !== trick) continue;
    const startedAt = performance.now();
    await using folder = await makeTemporaryFolder();
    const data = join(folder.path, 'data');
    await mkdir(join(data, 'canary'), { recursive: true });
    const kept = Array.from({ length: 20 }, (_, index) => String(index));
    for (const name of kept) await writeFile(join(data, 'canary', name), 'kept');
    const program = await copyProgram(folder.path, wall, trick);
    await using daemon = await TestDaemon.start({ folder: data, program, models: 'tiny', env: ENVIRONMENT });
    const secret = await readFile(join(data, 'sealing.key'));
    const outcome: Outcome = { read: 0, blocked: 0, done: 0, errored: 0 };
    let next = 0;
    const count = Math.ceil(rounds * share);
    const play = async () => {
      while (next < count && outcome.blocked < AT_ONCE) await playRound(daemon, next++, secret, outcome);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, play));
    const gone = kept.length - (await readdir(join(data, 'canary'))).length;
    const said = `${wall}, ${trick}: ${next} rounds, ${outcome.done} done, ${outcome.errored} errored; `;
    process.stdout.write(
      `${said}${outcome.read} read, ${gone} gone, ${outcome.blocked} blocked, ${Math.round((performance.now() - startedAt) / 1000)} s\n`,
    );
    if (outcome.read + gone + outcome.blocked > 0 || outcome.done + outcome.errored < count)
      process.exitCode = 1;
    if (outcome.blocked > 0) await daemon.kill('SIGKILL');
  }
}
