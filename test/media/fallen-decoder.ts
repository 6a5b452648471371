/** A decode program that answers as an honest one and then plays with what it left. */

export type Trick =
  | 'honest'
  | 'file becomes link'
  | 'folder becomes link'
  | 'file becomes pipe'
  | 'below becomes link'
  | 'pipe'
  | 'device'
  | 'second name'
  | 'grows'
  | 'many names';

export interface Played {
  /** What the decoder leaves, in `out`. */
  made: string;
  /** The daemon's: a file that is not to be read, and a folder that is to stay, as they are reached from `out`. */
  secret: string;
  canary: string;
  /** The folder of the secret, for one that takes the place of `out`. */
  folder?: string;
  playMs?: number;
  names?: number;
}

/** Source that declares \`play(trick)\`, to be called when the file lies there. What a wall refuses is left out. */
export function tricksSource({
  made,
  secret,
  canary,
  folder = '',
  playMs = 30,
  names = 500,
}: Played): string {
  return `
  import { execFileSync } from 'node:child_process';
  import * as fs from 'node:fs';
  const made = ${JSON.stringify(`out/${made}`)};
  const attempt = (work) => { try { work(); } catch {} };
  const repeat = (...works) => {
    for (const end = performance.now() + ${playMs}; performance.now() < end; ) works.forEach(attempt);
  };
  const run = (...command) => attempt(() => execFileSync(command[0], command.slice(1), { stdio: 'ignore' }));
  const put = (make) => () => { make('out/.new'); fs.renameSync('out/.new', made); };
  const exchange = (make) => {
    const honest = fs.readFileSync(made);
    repeat(put(make), put((path) => fs.writeFileSync(path, honest)));
  };
  const before = {
    'file becomes pipe': () => run('mkfifo', 'out/pipe'),
    'below becomes link': () => attempt(() => fs.mkdirSync('out/below/inner', { recursive: true })),
    'pipe': () => { fs.unlinkSync(made); run('mkfifo', made); },
    'device': () => { fs.unlinkSync(made); run('mknod', made, 'c', '1', '5'); },
    'second name': () => attempt(() => fs.linkSync(made, 'out/first')),
    'many names': () => { for (let at = 0; at < ${names}; at++) fs.writeFileSync('out/' + at, ''); },
  };
  const after = {
    'file becomes link': () => exchange((path) => fs.symlinkSync(${JSON.stringify(secret)}, path)),
    'file becomes pipe': () => exchange((path) => fs.linkSync('out/pipe', path)),
    'folder becomes link': () => repeat(
      () => { fs.renameSync('out', 'away'); fs.symlinkSync(${JSON.stringify(folder)}, 'out'); },
      () => { fs.unlinkSync('out'); fs.renameSync('away', 'out'); },
    ),
    'below becomes link': () => repeat(
      () => { fs.renameSync('out/below', 'out/aside'); fs.symlinkSync(${JSON.stringify(canary)}, 'out/below'); },
      () => fs.unlinkSync('out/below'),
      () => { fs.mkdirSync('out/aside/inner', { recursive: true }); fs.renameSync('out/aside', 'out/below'); },
    ),
    'grows': () => repeat(() => fs.appendFileSync(made, Buffer.alloc(65_536, 'honest'))),
  };
  const play = (trick, answer) => { before[trick]?.(); answer(() => attempt(() => after[trick]?.())); };
`;
}

/** A whole program: the input of a request names the trick. */
export function fallenDecoder(played: Played): string {
  return `${tricksSource(played)}
  process.on('message', ({ type, id, input }) => {
    if (type !== 'render-heatmap') return;
    fs.writeFileSync(made, 'honest');
    const answer = { type: 'answered', id, answer: { heatmap: { width: 1, height: 1 } } };
    play(input, (sent) => process.send(answer, sent));
  });
  process.send({ type: 'ready' });`;
}
