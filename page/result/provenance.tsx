/** Signed manifests as a person reads them: four plain answers, and how the file came about. */
import type { JSX } from 'preact';
import type { FullRecord } from '../gen/documents.ts';
import { Fold } from '../parts/fold.tsx';
import { Facts, Time } from '../parts/parts.tsx';
import { Thumbnail } from '../records/thumbnail.tsx';
import type { TextKey } from '../texts/en.ts';
import { findText, language, t } from '../texts/language.ts';

type Provenance = NonNullable<FullRecord['provenance']>;
type Readings = NonNullable<Provenance['readings']>;
type Manifest = Provenance['manifests'][number];
type Step = Manifest['steps'][number];

export function ProvenancePanel({ record }: { record: FullRecord }): JSX.Element {
  const { provenance } = record;
  return (
    <Fold anchor="provenance" title={t('provenance')}>
      {provenance === null ? <p>{t('notReadThen')}</p> : <Content {...{ provenance, record }} />}
    </Fold>
  );
}

function Content({ provenance, record }: { provenance: Provenance; record: FullRecord }): JSX.Element {
  const { sentence, readings, manifests, leftOut, remoteManifestUrl, fault, outer } = provenance;
  if (sentence === null) return <p>{t('noManifest')}</p>;
  return (
    <>
      <p>{sentence[language.get()]}</p>
      {remoteManifestUrl !== null && (
        <p>
          <code>{remoteManifestUrl}</code>
        </p>
      )}
      {outer !== null && <p class="quiet">{outerNote(outer)}</p>}
      {fault !== null && (
        <p class="quiet" lang="en">
          {fault}
        </p>
      )}
      {readings !== null && <Answers {...{ readings }} />}
      {manifests.length > 0 && <Timeline {...{ manifests, record }} />}
      {leftOut > 0 && <p class="quiet">{t('manifestsLeftOut', { count: leftOut })}</p>}
      <JudgedBy {...{ provenance }} />
    </>
  );
}

/** Where the manifest came from; empty if the sentence says it already. */
function outerNote({ source, outcome, host }: NonNullable<Provenance['outer']>): string {
  if (outcome === 'EMBEDDED_SPEAKS') return t('embeddedSpeaks');
  if (outcome !== 'READ') return '';
  return source === 'SIDECAR' ? t('manifestBeside') : t('manifestFetched', { host });
}

function Answers({ readings }: { readings: Readings }): JSX.Element {
  const { state } = readings;
  return (
    <>
      <p>
        <strong>{t(`reading_${state}`)}</strong> <span class="quiet">{t(`readingLead_${state}`)}</span>
      </p>
      <Facts rows={answerRows(readings)} />
    </>
  );
}

function answerRows({ unchanged, signedBy, inTime, who }: Readings): [string, string][] {
  const { answer, name, organisation, product, assuranceLevel } = signedBy;
  const shownName = organisation === '' || name.includes(organisation) ? name : `${name} (${organisation})`;
  const lists = signedBy.lists.map(({ list }) => list).join(', ');
  const level = assuranceLevel === null ? product : t('productLevel', { product, level: assuranceLevel });
  const time = inTime.stampedAt?.slice(0, 19).replace('T', ' ') ?? '';
  const rows: [string, string][] = [
    [t('unchanged'), t(`unchanged_${unchanged}`)],
    [t('signer'), t(`signer_${answer}`, { name: shownName, lists })],
    [t('product'), product === '' ? '' : level],
    [t('inTime'), t(`time_${inTime.answer}`, { time, authority: inTime.authority })],
    [t('who'), t(`who_${who.answer}`, { names: who.names.join(', ') })],
  ];
  return rows.filter(([, value]) => value !== '');
}

interface TimelineProps {
  manifests: Manifest[];
  record: FullRecord;
}

function Timeline({ manifests, record }: TimelineProps): JSX.Element {
  return (
    <>
      <h3>{t('howItCame')}</h3>
      <p class="quiet">{t('howItCameLead')}</p>
      <ol class="provenance-line">
        {manifests.map((manifest) => (
          <li key={manifest.label} class={manifest.readings.state.toLowerCase()}>
            <ManifestPicture {...{ manifest, manifests, record }} />
            <ManifestItem {...{ manifest, manifests }} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** What the file looked like then: the file itself, or what the manifest after it kept of it. */
function ManifestPicture({
  manifest: { label, isActive },
  manifests,
  record,
}: TimelineProps & { manifest: Manifest }): JSX.Element {
  const kept = manifests.flatMap(({ ingredients }) => ingredients).find(({ manifest }) => manifest === label);
  if (isActive) return <Thumbnail {...{ record }} />;
  return <span class="thumbnail">{kept?.thumbnail && <img src={kept.thumbnail} alt="" />}</span>;
}

function ManifestItem({ manifest, manifests }: { manifest: Manifest; manifests: Manifest[] }): JSX.Element {
  const { generator, title, readings, steps, ingredients, trainingMining, isActive } = manifest;
  const mining = trainingMining.map(describeMining).join(', ');
  const at = readings.inTime.stampedAt ?? steps.find((step) => step.at)?.at ?? null;
  return (
    <details open={isActive || manifests.length <= 3}>
      <summary>
        <strong>{generator || title || readings.signedBy.name}</strong> · {t(`reading_${readings.state}`)}{' '}
        {at !== null && (
          <small class="quiet">
            <Time iso={at} />
          </small>
        )}
      </summary>
      {!isActive && <Facts rows={answerRows(readings)} />}
      {steps.length === 0 && <p class="quiet">{t('noSteps')}</p>}
      <ul>
        {steps.map((step, index) => (
          <li key={`${step.action}${index}`}>{stepText(step)}</li>
        ))}
      </ul>
      {mining !== '' && <Facts rows={[[t('trainingMining'), mining]]} />}
      {ingredients.length > 0 && <Ingredients {...{ manifest, manifests }} />}
    </details>
  );
}

/** In words if the use and the permission are known ones. */
function describeMining({ use, permission }: Manifest['trainingMining'][number]): string {
  const [what, may] = [findText(`mining_${use}`), findText(`permission_${permission}`)];
  return `${what ?? use}: ${may ?? permission}`;
}

function stepText({ kind, action, at, by, sourceType, sourceTypeWords, description }: Step): string {
  const name = kind === 'OTHER' ? action : t(`step_${kind}`);
  const source = sourceTypeWords === null ? sourceType : sourceTypeWords[language.get()];
  const when = at?.slice(0, 19).replace('T', ' ') ?? '';
  return [name, source, by, when, description].filter((part) => part !== '').join(' · ');
}

function Ingredients({ manifest, manifests }: { manifest: Manifest; manifests: Manifest[] }): JSX.Element {
  return (
    <>
      <h4>{t('ingredients')}</h4>
      <ul class="ingredients">
        {manifest.ingredients.map(({ title, relationship, manifest: label, thumbnail }, index) => {
          const own = manifests.find((other) => other.label === label);
          const state = own === undefined ? t('noManifestOfIngredient') : t(`reading_${own.readings.state}`);
          return (
            <li key={`${label}${index}`}>
              {thumbnail !== '' && <img src={thumbnail} alt="" />}
              <span>
                {title}{' '}
                <span class="quiet">
                  {t(`ingredient_${relationship}` as TextKey)} · {state}
                </span>
              </span>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function JudgedBy({ provenance: { lists, readAt } }: { provenance: Provenance }): JSX.Element | null {
  if (readAt === null) return null;
  const names = lists.map(({ id }) => id).join(', ');
  return (
    <p class="quiet">
      {t('judgedBy', { lists: names, time: '' })} <Time iso={readAt} />
    </p>
  );
}
