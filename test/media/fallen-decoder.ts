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

/**
 * Source of a module. The input of a request names the trick. `folder` holds a file of the name, and a folder `canary`, both the
 * daemon's. A trick that the wall refuses is left out.
 */
export const FALLEN_DECODER = (folder: string, name: string, { playMs = 30, names = 500 } = {}): string => `
  import { execFileSync } from 'node:child_process';
  import * as fs from 'node:fs';
  const [folder, name] = ${JSON.stringify([folder, name])};
  const made = 'out/' + name;
  const attempt = (work) => { try { work(); } catch {} };
  const program = (file, ...args) => attempt(() => execFileSync(file, args));
  const write = (path) => fs.writeFileSync(path, 'honest');
  /** Puts now one and now the other in the place. */
  const exchange = (place, one, other) => {
    for (const end = performance.now() + ${playMs}; performance.now() < end; ) {
      attempt(() => { one('out/.new'); fs.renameSync('out/.new', place); });
      attempt(() => { other('out/.new'); fs.renameSync('out/.new', place); });
    }
  };
  const TRICKS = {
    'honest': [() => write(made)],
    'file becomes link': [() => write(made), () => exchange(made, (path) => fs.symlinkSync(folder + '/' + name, path), write)],
    'folder becomes link': [() => write(made), () => {
      for (const end = performance.now() + ${playMs}; performance.now() < end; ) {
        attempt(() => { fs.renameSync('out', 'away'); fs.symlinkSync(folder, 'out'); });
        attempt(() => { fs.unlinkSync('out'); fs.renameSync('away', 'out'); });
      }
    }],
    'file becomes pipe': [() => { write(made); program('mkfifo', 'out/pipe'); },
      () => exchange(made, (path) => fs.linkSync('out/pipe', path), write)],
    'below becomes link': [() => { write(made); fs.mkdirSync('out/below/inner', { recursive: true }); }, () => {
      for (const end = performance.now() + ${playMs}; performance.now() < end; ) {
        attempt(() => { fs.renameSync('out/below', 'out/aside'); fs.symlinkSync(folder + '/canary', 'out/below'); });
        attempt(() => { fs.unlinkSync('out/below'); });
        attempt(() => { fs.mkdirSync('out/aside/inner', { recursive: true }); fs.renameSync('out/aside', 'out/below'); });
      }
    }],
    'pipe': [() => program('mkfifo', made)],
    'device': [() => program('mknod', made, 'c', '1', '5')],
    'second name': [() => { attempt(() => fs.linkSync(folder + '/' + name, made)); write('out/first'); attempt(() => fs.linkSync('out/first', made)); }],
    'grows': [() => write(made), () => {
      for (const end = performance.now() + ${playMs}; performance.now() < end; ) fs.appendFileSync(made, Buffer.alloc(65_536, 'honest'));
    }],
    'many names': [() => { write(made); for (let at = 0; at < ${names}; at++) fs.writeFileSync('out/' + at, ''); }],
  };
  process.on('message', ({ type, id, input }) => {
    if (type !== 'render-heatmap') return;
    const [prepare, play] = TRICKS[input];
    prepare();
    process.send({ type: 'rendered-heatmap', id, heatmap: { width: 1, height: 1 } }, () => play?.());
  });
  process.send({ type: 'ready' });`;
