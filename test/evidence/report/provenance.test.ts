import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import type { IngredientFacts } from '../../../src/domain/provenance/manifest-facts.ts';
import { NO_PROVENANCE } from '../../../src/domain/provenance/provenance.ts';
import { toProvenanceRecord } from '../../../src/domain/provenance/provenance-record.ts';
import type { EvidenceRecord } from '../../../src/evidence/evidence-record.ts';
import type { Block } from '../../../src/evidence/report/blocks.ts';
import { toHtmlReport } from '../../../src/evidence/report/html-report.ts';
import type { ReportLanguage } from '../../../src/evidence/report/language.ts';
import { writePdfReport } from '../../../src/evidence/report/pdf-process.ts';
import { provenanceBlocks } from '../../../src/evidence/report/provenance.ts';
import type { Report } from '../../../src/evidence/report/report.ts';
import { speakerOf } from '../../../src/evidence/report/texts.ts';
import {
  codeFact,
  created,
  GOOD_CODES,
  makeManifest,
  makeStore,
} from '../../domain/provenance/made-store.ts';

const { signal } = new AbortController();

async function thumbnail(): Promise<string> {
  const create = { width: 96, height: 64, channels: 3, background: '#369' } as const;
  return `data:image/jpeg;base64,${(await sharp({ create }).jpeg().toBuffer()).toString('base64')}`;
}

function blocksOf(language: ReportLanguage, ingredients: IngredientFacts[]): Block[] {
  const changed = GOOD_CODES.map(([kind, code]) => codeFact(kind, code));
  const part = makeManifest({
    ...{ label: 'part', title: 'part', generator: 'scanner 2.0' },
    codes: [...changed, codeFact('failure', 'assertion.hashedURI.mismatch')],
    actions: created('http://cv.iptc.org/newscodes/digitalsourcetype/print'),
  });
  const active = makeManifest({
    ingredients,
    actions: created('http://cv.iptc.org/newscodes/digitalsourcetype/compositeCapture'),
    trainingMining: [
      { use: 'ai_generative_training', permission: 'notAllowed' },
      { use: 'com.example.other', permission: 'ask' },
    ],
  });
  const store = makeStore(part, active);
  const provenance = toProvenanceRecord({ ...NO_PROVENANCE, hasReadFacts: true, store });
  const one = { record: { provenance }, result: null } as unknown as EvidenceRecord;
  return provenanceBlocks(speakerOf(language), one);
}

function ingredientsWith(data: string): IngredientFacts[] {
  const common = { format: 'image/jpeg', relationship: 'component' } as const;
  return [
    { ...common, title: '<b>harbour</b>.jpg', manifest: 'part', thumbnail: data },
    { ...common, title: 'sky.jpg', manifest: '', thumbnail: '' },
  ];
}

const reportOf = (blocks: Block[]): Report => ({
  language: 'en',
  title: 'Report',
  blocks,
  footer: 'page {page}',
});

async function join(pieces: AsyncGenerator<Buffer>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(pieces));
}

test('ingredients stand with their thumbnail, what they were and what their own manifest reads as', async () => {
  const data = await thumbnail();
  const html = (
    await join(toHtmlReport(reportOf(blocksOf('en', ingredientsWith(data))), new Map()))
  ).toString();
  assert.ok(html.includes(`<img class="thumbnail" alt="" src="${data}">`), 'the thumbnail');
  assert.match(html, /&lt;b&gt;harbour&lt;\/b&gt;\.jpg, a part, Broken/);
  assert.match(html, /<li>sky\.jpg, a part, without a manifest/);
  assert.match(html, /Created, composed of captured parts/);
  assert.match(html, /Captured, digitised from a print/);
  assert.match(html, /training of generative models: not allowed/);
  assert.match(html, /com\.example\.other: ask/);
  assert.equal(html.match(/No: changed after it was signed/g)?.length, 1, 'the ingredient’s own answers');
});

test('in Italian too', async () => {
  const html = (
    await join(toHtmlReport(reportOf(blocksOf('it', ingredientsWith(''))), new Map()))
  ).toString();
  assert.match(html, /addestramento di modelli generativi: non permesso/);
  assert.match(html, /digitalizzato da una stampa/);
});

test('the PDF holds thumbnails, and leaves out what is no picture', async () => {
  for (const data of [await thumbnail(), 'data:image/jpeg;base64,AAAA', '']) {
    const pdf = await join(
      writePdfReport(reportOf(blocksOf('en', ingredientsWith(data))), new Map(), signal),
    );
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
    assert.equal(pdf.includes('/Subtype /Image'), data.length > 100);
  }
});
