/** The finding in words: the same sentences as the page's card. */
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import { certaintyOf, shownRatio, signOffWord, supportOf } from '../../domain/records/finding-words.ts';
import { showText } from '../../domain/shown-text.ts';
import type { Assessment } from '../../domain/verdicts/assessment.ts';
import type { EvidenceRecord } from '../evidence-record.ts';
import type { Block } from './blocks.ts';
import type { Speaker } from './texts.ts';

export function nameOf({ record }: EvidenceRecord): string {
  return record.name === '' ? record.identifier.slice(0, 12) : showText(record.name);
}

/** What stands at the top: a person's word, a signature's rule, or what was measured. */
export function findingSentence(speaker: Speaker, record: ClassificationRecord): string {
  const { forceClassification, verdict, assessment, status, errors } = record;
  const thing = thingOf(speaker, record);
  if (status === 'errored') return speaker.text('notJudged', { reason: errors });
  if (forceClassification !== null) {
    return speaker.say(forceClassification === 'human' ? 'said_HUMAN' : 'said_ARTIFICIAL', { thing });
  }
  if (isSigned(record) && verdict !== null) return speaker.say('signedArtificial', { thing });
  return measuredSentence(speaker, record, assessment);
}

function measuredSentence(
  speaker: Speaker,
  record: ClassificationRecord,
  assessment: Assessment | null,
): string {
  const thing = thingOf(speaker, record);
  const { state = 'not_applicable', probability = null, strength = null } = assessment ?? {};
  if (strength === 'signed') return speaker.say('measured_SIGNED', { thing });
  if (state === 'human' && isCaptureShown(assessment)) return speaker.say('measured_CAPTURED', { thing });
  if (state === 'inconclusive') return speaker.say('verdict_INCONCLUSIVE', { thing });
  if (state === 'not_applicable' || probability === null)
    return speaker.say('verdict_NOT_APPLICABLE', { thing });
  if (state === 'artificial') {
    return speaker.say(`verdict_ARTIFICIAL_${certaintyOf(probability)}`, { thing });
  }
  return speaker.say(`verdict_HUMAN_${certaintyOf(1 - probability)}`, { thing });
}

/** The sentence, what it stands on, and where it lies between human and artificial. */
export function findingBlocks(speaker: Speaker, record: ClassificationRecord): Block[] {
  const { assessment, forceClassification, signOff } = record;
  const blocks: Block[] = [{ type: 'finding', text: findingSentence(speaker, record) }];
  if (signOff !== null) {
    blocks.push({ type: 'paragraph', text: `${speaker.say(`signOff_${signOffWord(signOff)}`)}.` });
  }
  if (assessment === null) return blocks;
  if (forceClassification !== null || isSigned(record)) {
    const why = speaker.say(forceClassification === null ? 'forcedBySignature' : 'forcedByPerson');
    const sentence = measuredSentence(speaker, record, assessment);
    const rule = isSigned(record) && forceClassification === null ? `${speaker.say('ruleNotFinding')} ` : '';
    blocks.push({ type: 'paragraph', text: `${why} ${rule}${speaker.say('measuredWas', { sentence })}` });
  }
  if (assessment.probability !== null) {
    blocks.push({
      type: 'gauge',
      place: assessment.probability,
      marks: (assessment.stability?.variants ?? []).map(({ probability }) => probability),
      human: speaker.say('human'),
      artificial: speaker.say('artificial'),
      text: speaker.say('artificialAt', { share: speaker.percent(assessment.probability) }),
    });
  }
  blocks.push({ type: 'paragraph', text: strength(speaker, assessment) });
  return blocks;
}

/** A capture by a conforming device, rather than the models, makes it human. */
function isCaptureShown(assessment: Assessment | null): boolean {
  return assessment?.reasons.some(({ code }) => code === 'SIGNED_CAPTURED') === true;
}

function strength(speaker: Speaker, { log10LikelihoodRatio, probability }: Assessment): string {
  const lead = speaker.say('likelyNotHowMuch');
  if (log10LikelihoodRatio === null || probability === null) return lead;
  const ratio = shownRatio(log10LikelihoodRatio);
  const filling = {
    ratio: speaker.number(ratio, ratio < 10 ? 1 : 0),
    band: speaker.say(`support_${supportOf(log10LikelihoodRatio)}`),
  };
  return `${lead} ${speaker.say(log10LikelihoodRatio >= 0 ? 'ratioArtificial' : 'ratioHuman', filling)}`;
}

function isSigned({ verdict }: ClassificationRecord): boolean {
  return verdict?.models.includes('c2pa') === true;
}

function thingOf(speaker: Speaker, { kind }: ClassificationRecord): string {
  return speaker.say(`thing_${kind.toUpperCase() as Uppercase<typeof kind>}`);
}
