/** What is read before a decision: the strongest reasons, and what speaks against them. */
import type { JSX } from 'preact';
import type { FullRecord } from '../gen/documents.ts';
import { FoldLink } from '../parts/fold.tsx';
import { outcomeOf } from '../parts/records.ts';
import { ReasonSentence } from '../records/reason-sentence.tsx';
import { t } from '../texts/language.ts';
import { contraryFigures, strongestReasons, weakeningReasons } from './speaks-against.ts';

export function AtAGlance({ record }: { record: FullRecord }): JSX.Element | null {
  const { assessment, seenBefore } = record;
  if (assessment === null) return null;
  const { probability } = assessment;
  const strongest = strongestReasons(record, assessment);
  const weakening = weakeningReasons(record, assessment);
  const contrary = contraryFigures(record, assessment);
  const count = weakening.length + contrary.length;
  // What was not judged has nothing to speak against.
  const isAnswered = outcomeOf(record) !== 'not_applicable';
  return (
    <section class="glance" aria-label={t('atAGlance')}>
      {strongest.length > 0 && <h2>{t('strongestReasons')}</h2>}
      <ul class="reasons">
        {strongest.map((reason) => (
          <li key={reason.code}>
            <ReasonSentence {...reason} {...{ probability }} />
          </li>
        ))}
      </ul>
      {(isAnswered || count > 0) && (
        <>
          <h2>{t('speaksAgainst')}</h2>
          <ul class="reasons">
            {weakening.map((reason) => (
              <li key={reason.code}>
                <ReasonSentence {...reason} {...{ probability }} />
              </li>
            ))}
            {contrary.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
            {count === 0 && <li class="quiet">{t('nothingAgainst')}</li>}
          </ul>
        </>
      )}
      {seenBefore.length > 0 && (
        <p>
          <FoldLink anchor="seen-before">{t('seenBeforeCount', { count: seenBefore.length })}</FoldLink>
        </p>
      )}
    </section>
  );
}
