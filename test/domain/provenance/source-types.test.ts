import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSourceType } from '../../../src/domain/provenance/source-types.ts';

/** As published on 2024-10-23, retired terms included: https://cv.iptc.org/newscodes/digitalsourcetype/. */
const IPTC = `digitalCapture computationalCapture negativeFilm positiveFilm print minorHumanEdits humanEdits
  algorithmicallyEnhanced softwareImage digitalArt digitalCreation dataDrivenMedia trainedAlgorithmicMedia
  algorithmicMedia screenCapture virtualRecording composite compositeCapture compositeSynthetic
  compositeWithTrainedAlgorithmicMedia`.split(/\s+/);
const C2PA = ['empty', 'trainedAlgorithmicData'];

test('every term reads in words of both languages, with and without its address', () => {
  for (const term of IPTC) {
    const found = findSourceType(`http://cv.iptc.org/newscodes/digitalsourcetype/${term}`);
    assert.ok(found !== null && found.words.en !== '' && found.words.it !== '', term);
    assert.equal(findSourceType(term), found);
  }
  for (const term of C2PA) {
    assert.ok(findSourceType(`http://c2pa.org/digitalsourcetype/${term}`) !== null, term);
  }
});

test('what is no term has no words, whatever its name is on every object', () => {
  for (const term of ['', 'constructor', '__proto__', 'digitalCaptura', 'http://example.org/']) {
    assert.equal(findSourceType(term), null, term);
  }
});
