import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { showText } from '../../src/domain/shown-text.ts';

const TURNING = [0x061c, 0x200e, 0x200f, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)];
const CONTROLS = [...range(0, 0x1f), ...range(0x7f, 0x9f), 0x2028, 0x2029];

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

test('characters that turn, move or hide text are shown as escapes', () => {
  equal(showText('photo\u202egpj.exe'), 'photo\\u202egpj.exe');
  for (const code of [...TURNING, ...CONTROLS]) {
    const shown = `\\u${code.toString(16).padStart(4, '0')}`;
    equal(showText(`a${String.fromCharCode(code)}b`), `a${shown}b`);
  }
});

test('every script stays as it is written', () => {
  for (const name of ['Perché no?.jpg', 'صورة.png', 'תמונה.jpg', '写真.webp', '👩‍👧.jpg', 'a\\b', '']) {
    equal(showText(name), name);
  }
});
