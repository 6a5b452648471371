/** The finding in words: the same sentences as the page's card. */
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import { shownRatio, signOffWord, supportOf } from '../../domain/records/finding-words.ts';
import { showText } from '../../domain/shown-text.ts';
import type { Assessment } from '../../domain/verdicts/assessment.ts';
import type { EvidenceRecord } from '../evidence-record.ts';
import type { Block } from './blocks.ts';
import type { Speaker } from './texts.ts';

export function nameOf({ record }: EvidenceRecord): string {
  return record.name === '' ? record.identifier.slice(0, 12) : showText(record.name);
}

export function findingSentence(speaker: Speaker, record: ClassificationRecord): string {
  const { headline, status, errors } = record;
  if (status === 'errored') return speaker.text('notJudged', { reason: errors });
  return showText(headline.sentence[speaker.language]);
}

/** The sentence, further facts, the models' place on the scale, and the verdict for older programs. */
export function findingBlocks(speaker: Speaker, record: ClassificationRecord): Block[] {
  const { assessment, headline, signOff } = record;
  const blocks: Block[] = [{ type: 'finding', text: findingSentence(speaker, record) }];
  if (signOff !== null) {
    blocks.push({ type: 'paragraph', text: `${speaker.say(`signOff_${signOffWord(signOff)}`)}.` });
  }
  if (assessment === null) return blocks;
  if (headline.beside !== null) {
    blocks.push({ type: 'paragraph', text: showText(headline.beside[speaker.language]) });
  }
  if (assessment.probability !== null) {
    blocks.push({
      type: 'gauge',
      place: assessment.probability,
      marks: (assessment.stability?.variants ?? []).map(({ probability }) => probability),
      human: speaker.say('human'),
      artificial: speaker.say('artificial'),
      text: speaker.say('chanceByModels', { share: speaker.percent(assessment.probability) }),
    });
  }
  blocks.push({ type: 'paragraph', text: strength(speaker, assessment) });
  if (headline.documented !== null) {
    blocks.push({ type: 'paragraph', text: headline.documented[speaker.language] });
  }
  return blocks;
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
