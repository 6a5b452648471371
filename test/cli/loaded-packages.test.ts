/** What a command loads before its first call is a third of what its user waits for: no package that this run does not need. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const COMMANDS = join(import.meta.dirname, '..', '..', 'src', 'cli', 'commands');

/** Names of the packages that a module brings with it. */
async function packagesOf(module: string): Promise<Set<string>> {
  const script = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ resolve: (name, context, next) => {
      const found = next(name, context);
      urls.push(found.url);
      return found;
    } });
    await import(${JSON.stringify(pathToFileURL(module).href)});
    console.log(JSON.stringify(urls));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    maxBuffer: 8 * 1024 ** 2,
  });
  const urls = JSON.parse(stdout) as string[];
  return new Set(urls.flatMap((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []));
}

test('a classification loads neither the schemas of stored values, nor bars and tables that may not be drawn', async () => {
  const packages = await packagesOf(join(COMMANDS, 'classify.ts'));
  assert.ok(packages.has('@grpc/grpc-js'), 'packages are seen');
  for (const name of ['zod', 'cli-progress', 'string-width']) assert.ok(!packages.has(name), name);
});
