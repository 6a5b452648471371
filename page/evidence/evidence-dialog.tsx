/** Asks for an evidence package of one record or of several, follows it, and gives the link to it. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import {
  type AllOfEvidenceExport as EvidenceExport,
  EXPORT_EVIDENCE,
  READ_EXPORT,
} from '../gen/documents.ts';
import { ask, change } from '../parts/api.ts';
import { AskedForm } from '../parts/form.tsx';
import { formatBytes } from '../parts/format.ts';
import { Dialog, Notice } from '../parts/parts.tsx';
import { LANGUAGES, type Language, language, t } from '../texts/language.ts';

/** The package of one picture takes two seconds, so that a question each .7 s is soon enough. */
const POLL_MS = 700;
const NOTES_CHARACTERS_MAX = 10_000;
const NAMES: Readonly<Record<Language, string>> = { en: 'English', it: 'Italiano' };

interface EvidenceProps {
  identifiers: readonly string[];
  onClose: () => void;
}

export function EvidenceDialog({ identifiers, onClose }: EvidenceProps): JSX.Element {
  const [made, setMade] = useState<EvidenceExport | null>(null);
  useFollowed(made, setMade);
  return (
    <Dialog title={t('evidence')} onClose={onClose}>
      <p>{t('evidenceLead')}</p>
      {identifiers.length > 1 && <p>{t('evidenceOfMany')}</p>}
      {made === null ? (
        <AskedForm
          start={{ title: '', notes: '', language: language.get() }}
          asked={[
            { of: 'title', label: t('evidenceTitle') },
            {
              of: 'notes',
              label: t('evidenceNotes'),
              hint: t('evidenceNotesHint'),
              lengthMax: NOTES_CHARACTERS_MAX,
            },
            {
              of: 'language',
              label: t('evidenceLanguage'),
              options: LANGUAGES.map((name) => [name, NAMES[name]] as const),
            },
          ]}
          kind="main"
          text={t('evidenceMake')}
          {...{ onClose }}
          send={async (order) =>
            setMade((await change(EXPORT_EVIDENCE, { identifiers: [...identifiers], ...order })).export)
          }
        />
      ) : (
        <Made {...{ made }} />
      )}
    </Dialog>
  );
}

function Made({ made }: { made: EvidenceExport }): JSX.Element {
  const { state, files, filesTotal, bytes, url, name, error } = made;
  if (state === 'failed') return <Notice kind="bad">{t('evidenceFailed', { reason: error })}</Notice>;
  if (url === null) {
    return (
      <p role="status">
        <progress max={Math.max(1, filesTotal)} value={files} aria-label={t('progress')} />{' '}
        {t('evidenceProgress', { files, total: filesTotal })}
      </p>
    );
  }
  return (
    <p role="status">
      {t('evidenceReady', { size: formatBytes(bytes) })}{' '}
      <a class="button main" href={url} download={name}>
        {t('download')}
      </a>
    </p>
  );
}

/** Asks for the export's progress until it has ended. */
function useFollowed(made: EvidenceExport | null, onNews: (made: EvidenceExport) => void): void {
  const isRunning = made?.state === 'running';
  useEffect(() => {
    if (made === null || !isRunning) return;
    const look = async (): Promise<void> => {
      const { evidenceExport } = await ask(READ_EXPORT, { id: made.id });
      if (evidenceExport !== null) onNews(evidenceExport);
    };
    const failed = (error: unknown) => onNews({ ...made, state: 'failed', error: String(error) });
    const timer = setInterval(() => void look().catch(failed), POLL_MS);
    return () => clearInterval(timer);
  }, [made?.id, isRunning]);
}
