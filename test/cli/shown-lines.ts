/** The lines that README and docs show to be typed, with what they answer. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');
export const DOCUMENTS: readonly string[] = ['README.md', ...globSync('docs/*.md', { cwd: ROOT })].sort();

export interface Shown {
  document: string;
  line: string;
}

/** Lines of code blocks, continued ones joined, without the prompt. */
function shownLines(document: string): Shown[] {
  const text = readFileSync(join(ROOT, document), 'utf8').replaceAll(/\\\n\s*/g, '');
  let isFenced = false;
  const shown: Shown[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isFenced = !isFenced;
    else if (isFenced || /^ {4}\S/.test(line))
      shown.push({ document, line: line.trim().replace(/^\$ /, '') });
  }
  return shown;
}

export const LINES: readonly Shown[] = DOCUMENTS.flatMap(shownLines);
