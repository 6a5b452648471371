/** Where `result_url` leads: one record, with why, how sure, and what could not be checked. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { showText } from '../../src/domain/shown-text.ts';
import { Timeline } from '../custody/timeline.tsx';
import { EvidenceDialog } from '../evidence/evidence-dialog.tsx';
import { Contradictions } from '../evidence/exported-readings.tsx';
import {
  CANCEL_RECORD,
  DELETE_RECORD,
  FOLLOW_RECORD,
  type FullRecord,
  READ_RECORD,
  RETRY_RECORD,
  type RecordOperation,
} from '../gen/documents.ts';
import { FactsPanel } from '../marks/facts-panel.tsx';
import { MarksPanel } from '../marks/marks-panel.tsx';
import { SeenBeforePanel, SimilarPanel } from '../marks/seen-before-panel.tsx';
import { type AccountInfo, change } from '../parts/api.ts';
import type { Document } from '../parts/document.ts';
import { ANCHORS, type Anchor, Fold, FoldLink } from '../parts/fold.tsx';
import { useLive } from '../parts/live.ts';
import { Button, CopyButton, Empty, Fault, Loading, Notice, Title } from '../parts/parts.tsx';
import { momentPath, PATHS } from '../parts/paths.ts';
import { useQuery, useWork } from '../parts/use-query.ts';
import { DeleteDialog } from '../records/delete-dialog.tsx';
import { stepName } from '../records/record-row.tsx';
import { saySentence } from '../texts/daemon/sentences-it.ts';
import { t } from '../texts/language.ts';
import { AboutRecord, Custody } from './about-record.tsx';
import { AddAnalyses } from './add-analyses.tsx';
import { AtAGlance } from './at-a-glance.tsx';
import { AudioResult } from './audio-result.tsx';
import { ForTheRecord } from './for-the-record.tsx';
import { ImageResult } from './image-result.tsx';
import { Neighbours } from './neighbours.tsx';
import { OverridePanel } from './override.tsx';
import { ProvenancePanel } from './provenance.tsx';
import { LimitsPanel, ReasonsPanel } from './reasons.tsx';
import { ScoresPanel } from './scores.tsx';
import { SignOffPanel } from './sign-off.tsx';
import { TentativePanel } from './tentative.tsx';
import { VerdictCard } from './verdict-card.tsx';
import { VideoResult } from './video-result.tsx';

export function ResultPage({
  identifier,
  account,
}: {
  identifier: string;
  account: AccountInfo;
}): JSX.Element {
  const { data, error, isLoading, reload, replace } = useQuery(READ_RECORD, { identifier });
  const record = data?.classification;
  const isAtWork = record?.status === 'NEW' || (record?.added ?? null)?.progress != null;
  useLive(isAtWork ? FOLLOW_RECORD : null, { identifier }, (next) => replace(() => next));
  if (error !== undefined && record === undefined) {
    return (
      <Empty title={t(error.code === 'NOT_FOUND' ? 'noSuchRecord' : 'recordUnreadable')}>
        <p>{error.code === 'NOT_FOUND' ? t('noSuchRecordLead') : error.message}</p>
        <Button onPress={() => void reload()}>{t('tryAgain')}</Button>
      </Empty>
    );
  }
  if (record === undefined || isLoading) return <Loading />;
  return (
    <article class="result">
      <Neighbours {...{ identifier }} />
      <div class="page-head">
        <Title>{record.name === '' ? record.identifier.slice(0, 12) : showText(record.name)}</Title>
        <Actions {...{ record, account }} onChange={() => void reload()} />
      </div>
      <WholeLink {...{ record }} />
      {record.status === 'NEW' && <Progress {...{ record }} />}
      {record.status === 'NEW' && <TentativePanel {...{ record }} />}
      {record.status === 'ERRORED' && (
        <Notice kind="bad">
          {record.cancelled ? t('cancelled') : t('failedBecause', { reason: saySentence(record.errors) })}
        </Notice>
      )}
      {record.status === 'DONE' && <Finding {...{ record, account }} onChange={() => void reload()} />}
      <Background {...{ record }} />
    </article>
  );
}

/** A frame or a track, whose custody is its video's. */
function isPart({ partOf }: FullRecord): boolean {
  return partOf !== null;
}

/** From a frame to its moment in the video. */
function WholeLink({ record }: { record: FullRecord }): JSX.Element | null {
  if (record.partOf === null) return null;
  const seconds = record.__typename === 'ImageClassification' ? record.timeSeconds : null;
  return (
    <p>
      <Link href={momentPath(record.partOf, seconds ?? 0)}>
        {t(seconds === null ? 'trackOfFilm' : 'frameOfFilm')}
      </Link>
    </p>
  );
}

interface PartProps {
  record: FullRecord;
  account: AccountInfo;
  onChange: () => void;
}

/** Beside the media what is read before a decision; everything else beneath it, folded. */
function Finding({ record, account, onChange }: PartProps): JSX.Element {
  return (
    <>
      <Contradictions {...{ record }} />
      <div class="screen">
        <div class="says">
          <VerdictCard {...{ record }} />
          <AtAGlance {...{ record }} />
          <PartLinks {...{ record, account }} />
        </div>
        <div class="media">
          {record.__typename === 'ImageClassification' && <ImageResult {...{ record }} />}
          {record.__typename === 'VideoClassification' && <VideoResult {...{ record }} />}
          {record.__typename === 'AudioClassification' && <AudioResult {...{ record }} />}
          <AddAnalyses {...{ record, account, onChange }} />
        </div>
      </div>
      <SignOffPanel {...{ record, account, onChange }} />
      {mayState(record, account) && <OverridePanel {...{ record, onChange }} />}
      <FactsPanel {...{ record }} />
      <SeenBeforePanel {...{ record }} />
      <SimilarPanel {...{ record }} />
      <ReasonsPanel {...{ record }} />
      <ScoresPanel {...{ record }} />
      <MarksPanel {...{ record }} />
      <ProvenancePanel {...{ record }} />
      <LimitsPanel {...{ record }} />
    </>
  );
}

/** Whether the reader may say what the file is. */
function mayState(record: FullRecord, account: AccountInfo): boolean {
  return !account.readonly && record.rights.includes('FIND') && record.hash !== '';
}

function PartLinks({ record, account }: Omit<PartProps, 'onChange'>): JSX.Element {
  const titles: Readonly<Record<Anchor, string | null>> = {
    finding: mayState(record, account) ? t('override') : null,
    'sign-off': record.forceClassification === null ? null : t('signOff'),
    facts: record.fileFacts === null ? null : t('fileFacts'),
    'seen-before': record.seenBefore.length === 0 ? null : t('seenBefore'),
    similar: record.kind === 'AUDIO' ? null : t('similar'),
    why: record.assessment === null ? null : t('reasons'),
    models: t('models'),
    marks: t('marks'),
    provenance: t('provenance'),
    limits: t('couldBeWrong'),
    file: t('aboutFile'),
    custody: t('custody'),
    record: t('forTheRecord'),
  };
  return (
    <nav class="part-links unprinted" aria-label={t('partsOfResult')}>
      {ANCHORS.map((anchor) => {
        const title = titles[anchor];
        return (
          title !== null && (
            <FoldLink key={anchor} {...{ anchor }}>
              {title}
            </FoldLink>
          )
        );
      })}
    </nav>
  );
}

/** The file and what happened to it; open if there is nothing else to show. */
function Background({ record }: Pick<PartProps, 'record'>): JSX.Element {
  const isOpen = record.status !== 'DONE';
  return (
    <>
      <Fold anchor="file" title={t('aboutFile')} {...{ isOpen }}>
        <AboutRecord {...{ record }} />
      </Fold>
      <Fold anchor="custody" title={t('custody')} {...{ isOpen }}>
        {isPart(record) ? (
          <Custody {...{ record }} />
        ) : (
          <Timeline
            key={`${record.status}/${record.signOff?.findingAt ?? record.forceClassification}/${record.signOff?.state}/${record.signOff?.answers.length}`}
            identifier={record.identifier}
          >
            <Custody {...{ record }} />
          </Timeline>
        )}
      </Fold>
      <ForTheRecord {...{ record }} />
    </>
  );
}

function Progress({ record }: { record: FullRecord }): JSX.Element {
  const { step, done, total } = record.progress ?? { step: 'queued', done: 0, total: 1 };
  return (
    <section class="card progress-card" aria-label={t('progress')}>
      <p role="status">
        <strong>{stepName(step)}</strong>{' '}
        {total > 1 && <span class="quiet">{t('doneOf', { done, total })}</span>}
      </p>
      <progress max={Math.max(1, total)} value={done} aria-label={t('progress')} />
      <p class="quiet">{t('progressLead')}</p>
    </section>
  );
}

const ACTIONS: Readonly<Record<'cancel' | 'retry' | 'remove', Document<object, { identifier: string }>>> = {
  cancel: CANCEL_RECORD,
  retry: RETRY_RECORD,
  remove: DELETE_RECORD,
};

function Actions({ record, account, onChange }: PartProps): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const [isPacking, setPacking] = useState(false);
  const [, navigate] = useLocation();
  const { isBusy, fault, run } = useWork();
  const { identifier, status } = record;
  const may = (operation: RecordOperation): boolean => !account.readonly && record.rights.includes(operation);
  const act = async (name: keyof typeof ACTIONS): Promise<void> => {
    if (!(await run(() => change(ACTIONS[name], { identifier })))) return;
    if (name === 'remove') navigate(PATHS.records);
    else onChange();
  };
  return (
    <div class="actions unprinted">
      <CopyButton text={record.resultUrl} label={t('copyLink')} />
      <Button onPress={() => print()}>{t('print')}</Button>
      {status !== 'NEW' && !isPart(record) && record.rights.includes('EXPORT') && (
        <Button onPress={() => setPacking(true)}>{t('evidence')}</Button>
      )}
      {may('CHANGE') && status === 'NEW' && (
        <Button {...{ isBusy }} onPress={() => void act('cancel')}>
          {t('cancelWork')}
        </Button>
      )}
      {may('CHANGE') && status === 'ERRORED' && (
        <Button kind="main" {...{ isBusy }} onPress={() => void act('retry')}>
          {t('tryAgain')}
        </Button>
      )}
      {may('DELETE') && !isPart(record) && <Button onPress={() => setAsking(true)}>{t('delete')}</Button>}
      <Fault error={fault} />
      {isPacking && (
        <EvidenceDialog
          identifiers={[identifier]}
          onClose={() => {
            setPacking(false);
            onChange();
          }}
        />
      )}
      {isAsking && (
        <DeleteDialog
          records={[record]}
          {...{ isBusy }}
          onDelete={() => void act('remove')}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}
