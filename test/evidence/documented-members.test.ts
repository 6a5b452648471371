/** docs/evidence.md says what a package must have as the code demands it. */
import { equal } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { EVIDENCE_PAGE, printEvidencePage } from '../../schema/print-evidence.ts';

test('the table in docs/evidence.md is what the code prints', () => {
  const page = readFileSync(EVIDENCE_PAGE, 'utf8');
  equal(page, printEvidencePage(page));
});
