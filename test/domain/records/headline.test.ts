import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import type { ManifestFacts, StoreFacts } from '../../../src/domain/provenance/manifest-facts.ts';
import { type C2paPolicy, NO_PROVENANCE } from '../../../src/domain/provenance/provenance.ts';
import { toProvenanceRecord } from '../../../src/domain/provenance/provenance-record.ts';
import { HEADLINE_WORD, type Headline, headlineOf } from '../../../src/domain/records/headline.ts';
import { assessImage } from '../../../src/domain/verdicts/assessment.ts';
import { judge } from '../../../src/domain/verdicts/heuristics.ts';
import type { ImageResult, ModelRun } from '../../../src/domain/verdicts/result.ts';
import { created, makeManifest, makeStore } from '../provenance/made-store.ts';

const SOURCE_TYPES = 'http://cv.iptc.org/newscodes/digitalsourcetype';

function run(logOdds: number): ModelRun {
  return {
    ...{ model: 'm', version: '1', task: 'image-origin', axis: 'generated', unknown: false, reason: '' },
    ...{ logit: logOdds, logOdds, probability: 1 / (1 + Math.exp(-logOdds)), weight: 1, elapsedSeconds: 0 },
    ...{ device: 'cpu', cautiousThreshold: 0.9, inconclusiveLow: 0.4, inconclusiveHigh: 0.6 },
  };
}

interface Case {
  runs?: ModelRun[];
  store?: StoreFacts;
  found?: 'human' | 'artificial';
  status?: 'new' | 'done' | 'errored';
  policy?: C2paPolicy;
}

function headline({ runs = [run(-3)], store, found, status = 'done', policy = 'any' }: Case): Headline {
  const provenance = { ...NO_PROVENANCE, hasReadFacts: true as const, ...(store && { store }) };
  const result = {
    ...{ kind: 'image', mime: 'image/jpeg', width: 900, height: 900, pages: 1, runs, nsfw: null },
    ...{ detections: [], stability: [], hasHeatmap: false, provenance },
    quality: { shortSide: 900, jpegQuality: 90, truncated: false },
  } as ImageResult;
  const [verdict = null] = judge(runs, store !== undefined && policy === 'any');
  const isDone = status === 'done';
  return headlineOf(
    {
      ...{ kind: 'image', status, forceClassification: found ?? null },
      verdict: isDone ? verdict : null,
      assessment: isDone ? assessImage(result) : null,
      provenance: toProvenanceRecord(provenance),
    },
    policy,
  );
}

const captured = makeManifest({ actions: created(`${SOURCE_TYPES}/digitalCapture`) });
const generated = makeManifest({ actions: created(`${SOURCE_TYPES}/trainedAlgorithmicMedia`) });
const parent = { title: '', format: '', relationship: 'parent', manifest: 'camera', thumbnail: '' } as const;
const edit = { action: 'c2pa.edited', when: '', agent: '', sourceType: '', description: '' };
const edited = makeManifest({ actions: [edit], ingredients: [parent] });
const unlisted = (facts: ManifestFacts): ManifestFacts => ({
  ...facts,
  signer: facts.signer && { ...facts.signer, vouchedBy: [] },
});

const WORDS: [string, Case, Headline['word']][] = [
  ['a capture', { store: makeStore(captured) }, 'signed_capture'],
  ['a capture that the models contradict', { store: makeStore(captured), runs: [run(3)] }, 'signed_capture'],
  ['a generation', { store: makeStore(generated) }, 'signed_generation'],
  ['an edit of a capture', { store: makeStore(edited, { ...captured, label: 'camera' }) }, 'signed_edit'],
  ['a signer on no list', { store: makeStore(unlisted(captured)) }, 'signed_untrusted'],
  ['a generation by a signer on no list', { store: makeStore(unlisted(generated)) }, 'signed_untrusted'],
  ['no signature', {}, 'human'],
  ['no signature, models against', { runs: [run(3)] }, 'artificial'],
  ['nothing clear', { runs: [run(0)] }, 'inconclusive'],
  ['no model', { runs: [] }, 'not_applicable'],
  ['a person, whatever is signed', { store: makeStore(generated), found: 'human' }, 'found_human'],
  ['work that goes on', { status: 'new' }, 'waiting'],
  ['work that failed', { status: 'errored' }, 'failed'],
];

for (const [name, given, word] of WORDS) {
  test(`${name}: ${word}, under each rule`, () => {
    for (const policy of ['any', 'generative', 'never'] as const) {
      const { documented: _, ...said } = headline({ ...given, policy });
      equal(said.word, word);
      for (const sentence of [said.title, said.sentence, said.beside]) {
        if (sentence !== null) notEqual(sentence.it, sentence.en);
      }
    }
  });
}

test('each word has a case, except the finding with the same wording', () => {
  const met = new Set<string>(WORDS.map(([, , word]) => word));
  deepEqual(
    HEADLINE_WORD.words.filter((word) => !met.has(word)),
    ['found_artificial'],
  );
});

test('facts that the headline does not carry stand beside it', () => {
  equal(headline({ store: makeStore(captured) }).beside, null);
  match(headline({ store: makeStore(captured), runs: [run(3)] }).beside?.en ?? '', /no clear answer/);
  match(headline({ store: makeStore(unlisted(captured)) }).beside?.en ?? '', /likely human-made/);
  match(
    headline({ store: makeStore(generated), found: 'human' }).beside?.en ?? '',
    /generated by AI; the signature is trusted/,
  );
  match(headline({ found: 'artificial' }).beside?.en ?? '', /By what was measured it is likely human-made/);
});

test('the documented verdict is named with the rule that made it', () => {
  const signed = { store: makeStore(captured) };
  const rules: [Case, RegExp][] = [
    [{ ...signed }, /“artificial” \(1\.00\): by the rule of this plan, any signature/],
    [{ ...signed, policy: 'never' }, /“human” \(0\.95\): by the rule “balanced”/],
    [{ runs: [] }, /“human” \(0\.50\): no model could answer/],
  ];
  for (const [given, wanted] of rules) match(headline(given).documented?.en ?? '', wanted);
});
