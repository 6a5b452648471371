/** Asks for a password on standard input: without an echo at a terminal, else from the first line. */
import type { Readable } from 'node:stream';
import { CliFailure, EXIT_CODES } from './failure.ts';
import { printNote, type Terminal } from './terminal.ts';

/** The daemon takes 256 characters; a longer input is a wrong file. */
const CHARACTERS_MAX = 4096;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ENDS: readonly string[] = ['\r', '\n', CTRL_D];
const BACKSPACES: readonly string[] = ['\u007f', '\b'];

type Keyboard = Readable & { isTTY?: boolean; setRawMode?: (isRaw: boolean) => unknown };

/** Not an argument or a variable: other users of the box could read those. */
export async function askPassword(terminal: Terminal, prompt: string): Promise<string> {
  const keyboard: Keyboard = terminal.stdin;
  // A character may come in two chunks.
  keyboard.setEncoding('utf8');
  const password =
    keyboard.isTTY === true ? await readKeys(terminal, keyboard, prompt) : await readLine(keyboard);
  if (password !== '') return password;
  throw new CliFailure(`${prompt} expected on standard input, found nothing`, EXIT_CODES.usage);
}

async function readLine(input: Readable): Promise<string> {
  let text = '';
  // Leaving the loop early must not close the input: a second line may be asked for.
  for await (const chunk of input.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const end = text.indexOf('\n');
    if (end !== -1) {
      input.unshift(text.slice(end + 1));
      return text.slice(0, end).replace(/\r$/, '');
    }
    if (text.length > CHARACTERS_MAX)
      throw new CliFailure('standard input is too long for a password', EXIT_CODES.usage);
  }
  return text;
}

async function readKeys(terminal: Terminal, keyboard: Keyboard, prompt: string): Promise<string> {
  terminal.stderr.write(`${prompt}: `);
  keyboard.setRawMode?.(true);
  const password: string[] = [];
  try {
    for await (const chunk of keyboard.iterator({ destroyOnReturn: false })) {
      const keys = [...String(chunk)];
      for (const [index, key] of keys.entries()) {
        if (key === CTRL_C) throw new CliFailure('interrupted', EXIT_CODES.interrupted);
        if (ENDS.includes(key)) {
          // What was pasted or typed ahead answers the next question.
          const rest = keys.slice(index + 1).join('');
          keyboard.unshift(rest.replace(/^\n/, ''));
          return password.join('');
        }
        if (BACKSPACES.includes(key)) password.pop();
        else password.push(key);
      }
      if (password.length > CHARACTERS_MAX)
        throw new CliFailure('that is too long for a password', EXIT_CODES.usage);
    }
    return password.join('');
  } finally {
    keyboard.setRawMode?.(false);
    keyboard.pause();
    printNote(terminal, '');
  }
}
