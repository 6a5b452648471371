/**
 * Stacks of the bundle in lines of its sources. Node does it too, but reads a map beside each module that it loads, for a tenth of
 * a start; here a map is read when somebody first looks at a stack that needs it.
 */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const PLACE = /(file:[^\s)]*\/)([\w.-]+\.js):(\d+):(\d+)/g;

/** From then on, for all stacks of this process that name modules in `folder`. */
export function mapStacks(folder: string): void {
  const within = `${pathToFileURL(folder).href}/`;
  const maps = new Map<string, SourceMap | null>();
  const toSource = (place: string, base: string, name: string, line: string, column: string): string => {
    if (base !== within) return place;
    if (!maps.has(name)) maps.set(name, readMap(join(folder, `${name}.map`)));
    const origin = maps.get(name)?.findOrigin(Number(line), Number(column));
    if (origin === undefined || !('fileName' in origin)) return place;
    return `${resolve(folder, origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`;
  };
  Error.prepareStackTrace = (error, sites) =>
    [headOf(error), ...sites.map((site) => `    at ${site}`)].join('\n').replaceAll(PLACE, toSource);
}

/** Null if it cannot be read: a stack must not become a fault of its own. */
function readMap(path: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}

function headOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}
