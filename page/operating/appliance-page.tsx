/** State of the box: what needs repair and how, then its load and storage. */
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { Tile } from '../account/ledger-page.tsx';
import { EvidenceKeysPanel } from '../evidence/evidence-keys.tsx';
import {
  type AllOfFinding as Finding,
  READ_APPLIANCE,
  READ_FINDINGS,
  type ReadApplianceAnswer,
} from '../gen/documents.ts';
import { formatBytes, formatNumber } from '../parts/format.ts';
import { Fault, Loading, Notice, Panel, Title } from '../parts/parts.tsx';
import { PATHS } from '../parts/paths.ts';
import { useQuery } from '../parts/use-query.ts';
import { sayAdvice } from '../texts/daemon/faults.ts';
import { saySentence } from '../texts/daemon/sentences-it.ts';
import { findText, t } from '../texts/language.ts';

const REFRESH_MS = 5000;
/** An examination writes to the disk, so that it is not made often. */
const EXAMINE_MS = 60_000;
const HOUR_SECONDS = 3600;

export function AppliancePage(): JSX.Element {
  const { data, error, isLoading } = useQuery(READ_APPLIANCE, {}, REFRESH_MS);
  const examined = useQuery(READ_FINDINGS, {}, EXAMINE_MS);
  const box = data?.appliance;
  return (
    <>
      <div class="page-head">
        <Title>{t('navAppliance')}</Title>
        <Link href={PATHS.firstSteps} class="button plain">
          {t('guide')}
        </Link>
      </div>
      <Fault error={error ?? examined.error} />
      {isLoading && <Loading />}
      {box !== undefined && (
        <>
          {box.notReadyReason !== null && (
            <Notice kind="bad">{t('repairNotReady', { reason: saySentence(box.notReadyReason) })}</Notice>
          )}
          <Tiles {...{ box }} />
        </>
      )}
      {examined.data === undefined ? <Loading /> : <Findings findings={examined.data.findings} />}
      <EvidenceKeysPanel />
    </>
  );
}

function Tiles({ box }: { box: ReadApplianceAnswer['appliance'] }): JSX.Element {
  return (
    <div class="tile-row">
      <Tile label={t('state')} value={findText(`phase_${box.phase}`) ?? box.phase} />
      <Tile label={t('version')} value={box.version} />
      <Tile
        label={t('uptime')}
        value={t('hours', { hours: formatNumber((box.uptimeSeconds ?? 0) / HOUR_SECONDS, 1) })}
      />
      <Tile label={t('queueRunning')} value={formatNumber(box.running ?? 0)} />
      <Tile label={t('queueWaiting')} value={formatNumber(box.queueDepth ?? 0)} />
      <Tile label={t('diskFree')} value={formatBytes(box.diskFreeBytes ?? 0)} />
      <Tile label={t('memory')} value={formatBytes(box.rssAnonBytes ?? 0)} />
      <Tile label={t('isolation')} value={findText(`isolation_${box.isolation}`) ?? box.isolation ?? '–'} />
    </div>
  );
}

const RANK = { BAD: 0, NOTICE: 1, GOOD: 2 } as const;

/** Each fault with how to repair it; what is good follows, folded. */
function Findings({ findings }: { findings: readonly Finding[] }): JSX.Element {
  const repairs = findings
    .filter(({ state }) => state !== 'GOOD')
    .sort((left, right) => RANK[left.state] - RANK[right.state]);
  const good = findings.filter(({ state }) => state === 'GOOD');
  return (
    <>
      {repairs.length === 0 ? (
        <Notice kind="good">{t('nothingToMend')}</Notice>
      ) : (
        <Panel title={t('toMend')}>
          <ul class="repairs">
            {repairs.map((finding) => (
              <Repair key={`${finding.name}${finding.found}`} {...{ finding }} />
            ))}
          </ul>
        </Panel>
      )}
      <details class="panel">
        <summary>{t('checkedGood', { count: good.length })}</summary>
        <ul class="repairs">
          {good.map(({ name, found }) => (
            <li key={`${name}${found}`}>
              <strong>{titleOf(name)}</strong> <span class="quiet">{saySentence(found)}</span>
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

function Repair({ finding }: { finding: Finding }): JSX.Element {
  const { name, state, found, advice } = finding;
  return (
    <li class={state === 'BAD' ? 'broken' : 'doubtful'}>
      <strong>
        {titleOf(name)} <span class="tag">{t(`finding_${state}`)}</span>
      </strong>
      <p class="quiet">{saySentence(found)}</p>
      <p>{sayAdvice(partOf(name), advice)}</p>
    </li>
  );
}

/** Titles `model assay-transformer@2.0.0` by the kind of the part and its own name. */
function titleOf(name: string): string {
  const part = partOf(name);
  return `${findText(`examined_${part}`) ?? part}${name.slice(part.length)}`;
}

/** The part of a finding's name that says what was examined. */
function partOf(name: string): string {
  const words = name.split(' ');
  const parts = words.map((_, index) => words.slice(0, words.length - index).join(' '));
  return parts.find((part) => findText(`examined_${part}`) !== undefined) ?? name;
}
