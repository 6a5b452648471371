import { deepEqual, equal, rejects } from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { CliFailure, EXIT_CODES } from '../../src/cli/terminal/failure.ts';
import { askPassword } from '../../src/cli/terminal/password-prompt.ts';

async function* oneByOne(chunks: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) {
    yield Buffer.from(chunk);
    await setImmediate();
  }
}

/** A terminal at which these chunks were typed, or a pipe that brings them; `raw` has each change of its mode. */
function open(chunks: readonly (string | Buffer)[], isTTY: boolean) {
  const raw: boolean[] = [];
  const input = Readable.from(oneByOne(chunks), { objectMode: false });
  const stdin = Object.assign(input, { isTTY, setRawMode: (isRaw: boolean) => raw.push(isRaw) });
  const stderr = new PassThrough();
  const terminal = {
    ...{ env: {}, stdin, stdout: new PassThrough(), stderr, setExitCode() {} },
    watchInterrupt: () => new AbortController().signal,
  };
  return { ask: () => askPassword(terminal, 'password'), raw, shown: () => String(stderr.read() ?? '') };
}

const HALVES = [Buffer.of(0x70, 0xc3), Buffer.of(0xa9, 0x0a)];
const READ: readonly { name: string; chunks: (string | Buffer)[]; passwords: string[]; isTTY?: false }[] = [
  { name: 'keys until Enter', chunks: ['s', 'e', 'cret', '\r'], passwords: ['secret'] },
  { name: 'backspaces, more than there is', chunks: ['ab\u007f\b\bcd\n'], passwords: ['cd'] },
  { name: 'a backspace after a character of two units', chunks: ['a😀', '\u007f', 'b\r'], passwords: ['ab'] },
  { name: 'two lines that were pasted at once', chunks: ['old\r\nnew\n'], passwords: ['old', 'new'] },
  { name: 'Ctrl-D ends the line', chunks: ['abc\u0004'], passwords: ['abc'] },
  { name: 'a character that comes in two chunks', chunks: HALVES, passwords: ['pé'] },
  {
    name: 'a pipe without a last line break',
    chunks: ['old\r\nnew'],
    passwords: ['old', 'new'],
    isTTY: false,
  },
  { name: 'a character in two chunks of a pipe', chunks: HALVES, passwords: ['pé'], isTTY: false },
];

for (const { name, chunks, passwords, isTTY = true } of READ) {
  test(`a password is read: ${name}`, async () => {
    const { ask, raw, shown } = open(chunks, isTTY);
    const asked: string[] = [];
    for (const _ of passwords) asked.push(await ask());
    deepEqual(asked, passwords);
    equal(shown(), isTTY ? 'password: \n'.repeat(passwords.length) : '', 'no key is echoed');
    deepEqual(raw, isTTY ? passwords.flatMap(() => [true, false]) : []);
  });
}

const REFUSED = [
  { name: 'Ctrl-C', text: 'sec\u0003ret\r', code: EXIT_CODES.interrupted, message: /^interrupted$/ },
  { name: 'nothing', text: '\r\n', code: EXIT_CODES.usage, message: /password expected .*, found nothing/ },
  {
    name: 'a whole file',
    text: 'x'.repeat(5000),
    code: EXIT_CODES.usage,
    message: /too long for a password/,
  },
];

for (const { name, text, code, message } of REFUSED) {
  for (const isTTY of [true, false].slice(0, name === 'Ctrl-C' ? 1 : 2)) {
    test(`${name} is no password ${isTTY ? 'at a terminal, which echoes again' : 'in a pipe'}`, async () => {
      const { ask, raw } = open([text], isTTY);
      await rejects(ask(), (error: unknown) => {
        return error instanceof CliFailure && error.exitCode === code && message.test(error.message);
      });
      deepEqual(raw, isTTY ? [true, false] : []);
    });
  }
}
