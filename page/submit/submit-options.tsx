/** What is asked of an analysis, as far as the account's plan allows it. */
import type { JSX } from 'preact';
import { showText } from '../../src/domain/shown-text.ts';
import { TRANSCRIPT_LANGUAGES } from '../../src/domain/transcripts/languages.ts';
import { ANALYSES } from '../gen/analyses.ts';
import { type AnalysisOptionsInput, READ_OWN_TERMS } from '../gen/documents.ts';
import { includesRole } from '../parts/desk-roles.ts';
import { Check, Field, Select } from '../parts/parts.tsx';
import { useQuery } from '../parts/use-query.ts';
import { language, t } from '../texts/language.ts';
import { FRAME_COUNTS } from './submission.ts';
import type { SubmitOptions } from './uploads.ts';

/** A language without a transcript is refused. */
const FORGET_LANGUAGE: AnalysisOptionsInput = { transcriptLanguage: '' };

/** By their names in the reader's language. */
function spokenLanguages(): (readonly [string, string])[] {
  const names = new Intl.DisplayNames([language.get()], { type: 'language', fallback: 'code' });
  return TRANSCRIPT_LANGUAGES.map((code) => [code, names.of(code) ?? code] as const).sort(([, a], [, b]) =>
    a.localeCompare(b, language.get()),
  );
}

interface OptionsProps {
  submission: SubmitOptions;
  onSubmission: (submission: SubmitOptions) => void;
}

export function OptionsPanel({ submission, onSubmission }: OptionsProps): JSX.Element {
  const { data } = useQuery(READ_OWN_TERMS, {});
  const allowed = data?.viewer.plan.options ?? [];
  const { options, refId, noCache, deskId } = submission;
  const desks = (data?.desks ?? []).filter(({ ownRole }) => includesRole(ownRole, 'submits'));
  const put = (part: AnalysisOptionsInput): void =>
    onSubmission({ ...submission, options: { ...options, ...part } });
  return (
    <details class="options">
      <summary>{t('options')}</summary>
      <div class="options-grid">
        <Field
          label={t('reference')}
          name="reference"
          value={refId}
          hint={t('referenceHint')}
          onValue={(value) => onSubmission({ ...submission, refId: value })}
        />
        {desks.length > 0 && (
          <Select
            label={t('optionDesk')}
            value={deskId}
            options={[
              ['', t('optionDeskFirst')],
              ...desks.map(({ id, name }) => [id, showText(name)] as const),
              ['0', t('optionDeskNone')],
            ]}
            onValue={(value) => onSubmission({ ...submission, deskId: value })}
          />
        )}
        <Select
          label={t('optionFrames')}
          value={String(options.frames)}
          options={FRAME_COUNTS.map((count) => [String(count), String(count)] as const)}
          onValue={(value) => put({ frames: Number(value) })}
        />
        {ANALYSES.filter(([option]) => allowed.includes(option)).map(([option, name, label]) => (
          <Check
            key={option}
            label={t(label)}
            isOn={options[name] === true}
            onValue={(isOn) => put({ [name]: isOn, ...(name === 'withTranscript' && FORGET_LANGUAGE) })}
          />
        ))}
        {options.withTranscript === true && (
          <Select
            label={t('optionTranscriptLanguage')}
            value={options.transcriptLanguage ?? ''}
            options={[['', t('languageUnknown')], ...spokenLanguages()]}
            onValue={(code) => put({ transcriptLanguage: code })}
          />
        )}
        <Check
          label={t('optionPreventC2paForces')}
          isOn={options.preventC2paForces === true}
          onValue={(isOn) => put({ preventC2paForces: isOn })}
        />
        <Check
          label={t('optionNoCache')}
          isOn={noCache}
          onValue={(isOn) => onSubmission({ ...submission, noCache: isOn })}
        />
      </div>
    </details>
  );
}
