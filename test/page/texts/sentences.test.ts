import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import ts from 'typescript';
import { saySentence } from '../../../page/texts/daemon/sentences-it.ts';
import { language } from '../../../page/texts/language.ts';
import { adviseLabel, LABELLED_KINDS } from '../../../src/domain/verdicts/article-50.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
/** Calls whose argument of this number is such a sentence. */
const SAID: Readonly<Record<string, number>> = {
  ...{ good: 1, notice: 1, bad: 1 },
  ...{ badField: 1, MediaFaultFound: 1, MediaFaultError: 1, giveUpSentence: 1 },
};
const FILES = 'src/{app,engine,machinery,port,worker}/**/*.ts';
/** Its faults are the program's own, and only the log has them. */
const NOT_SHOWN = 'src/worker/inference/**';
/** Words of no Italian sentence. */
const ENGLISH =
  /\b(the|is|are|was|of|that|found|expected|has|have|with|not|at|may|it|by|its|from|which|and|or)\b/;
/** A gap of the source. */
const GAP = '7';

/** Each text of the argument, however it is put together. */
function textsIn(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node))
    return [node.head.text + node.templateSpans.map(({ literal }) => GAP + literal.text).join('')];
  if (ts.isConditionalExpression(node)) return [...textsIn(node.whenTrue), ...textsIn(node.whenFalse)];
  return [];
}

function sentencesOf(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const sentences: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const argument = node.arguments?.[SAID[node.expression.getText()] ?? -1];
      if (argument !== undefined) sentences.push(...textsIn(argument));
    }
    if (ts.isVariableDeclaration(node) && node.name.getText() === 'found' && node.initializer)
      sentences.push(...textsIn(node.initializer));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return sentences;
}

test('every sentence of the doctor, a refusal or a failure has words in Italian', () => {
  const sentences = globSync(FILES, { cwd: ROOT, exclude: [NOT_SHOWN] }).flatMap((file) =>
    sentencesOf(`${ROOT}${file}`),
  );
  assert.ok(sentences.length > 100, String(sentences.length));
  language.set('it');
  assert.deepEqual(
    sentences.filter((sentence) => ENGLISH.test(saySentence(sentence))),
    [],
  );
});

test('every advice of the label helper has words in Italian', () => {
  const questions = LABELLED_KINDS.flatMap((kind) =>
    [true, false].flatMap((resemblesReality) =>
      [true, false].map((isOther) => ({
        kind,
        resemblesReality,
        isArtistic: isOther,
        hasEditorialControl: isOther,
      })),
    ),
  );
  const advised = questions.map((question) => adviseLabel({ ...question, part: 'generated' }));
  const sentences = advised.flatMap(({ reason, place, sources }) => [
    ...[reason, place],
    ...sources.flatMap(({ title, supports }) => [title, supports]),
  ]);
  language.set('it');
  const same = sentences.filter((sentence) => sentence !== '' && saySentence(sentence) === sentence);
  assert.deepEqual(same, []);
});

test('texts filled into a gap are translated, too; a text without a row and English stay as they are', () => {
  language.set('it');
  const sentence = 'given up after 3 attempts: a worker process ended while it analysed the file';
  assert.equal(
    saySentence(sentence),
    'rinunciato dopo 3 tentativi: un processo di lavoro è finito mentre analizzava il file',
  );
  assert.equal(saySentence('1.5 GB free, an unknown part'), '1.5 GB liberi, an unknown part');
  language.set('en');
  assert.equal(saySentence(sentence), sentence);
});
