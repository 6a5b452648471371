/** What the file says of its own origin: the manifests as a tree, who signed, and whether it holds. */
import type { JSX } from 'preact';
import type { FullRecord } from '../gen/documents.ts';
import { Facts, Panel } from '../parts/parts.tsx';
import { findText, t } from '../texts/language.ts';

/** As the C2PA reader writes it. */
interface C2paReport {
  manifests: Record<string, unknown>;
  active_manifest: string;
  validation_state: string;
  validation_status: { url: string; code: string; explanation: string }[];
  validation_results: {
    activeManifest: Record<
      'failure' | 'success' | 'informational',
      { url: string; code: string; explanation: string }[]
    >;
  };
}

interface Manifest {
  title?: string;
  claim_generator?: string;
  claim_generator_info?: { name?: string; version?: string }[];
  signature_info?: { issuer?: string; common_name?: string; time?: string; alg?: string };
  assertions?: {
    label: string;
    data?: { actions?: { action?: string; digitalSourceType?: string; softwareAgent?: unknown }[] };
  }[];
  ingredients?: { title?: string; relationship?: string; active_manifest?: string }[];
}

export function ProvenancePanel({ record }: { record: FullRecord }): JSX.Element {
  const { c2pa, assessment } = record;
  const remote = assessment?.remoteManifestUrl ?? null;
  return (
    <Panel title={t('provenance')}>
      {c2pa === null && <p>{t(remote === null ? 'noManifest' : 'remoteManifest', { url: remote ?? '' })}</p>}
      {c2pa !== null && <Report report={c2pa as C2paReport} />}
    </Panel>
  );
}

/** Manifests may name one another in a circle; nobody reads deeper than this. */
const DEPTH_MAX = 6;

function Report({ report }: { report: C2paReport }): JSX.Element {
  const state = report.validation_state;
  const failures = report.validation_status;
  const passed = report.validation_results.activeManifest.success;
  return (
    <>
      <p>
        <strong>{findText(`c2pa_${state}`) ?? state}</strong>{' '}
        <span class="quiet">{findText(`c2paLead_${state}`)}</span>
      </p>
      <ul class="tree">
        <ManifestNode {...{ report }} label={report.active_manifest} depth={0} />
      </ul>
      <Statuses title={t('validationResults', { count: failures.length })} statuses={failures} />
      <Statuses title={t('validationPassed', { count: passed.length })} statuses={passed} />
    </>
  );
}

/** What was checked, code by code as C2PA names it, for whoever knows them. */
function Statuses({
  title,
  statuses,
}: {
  title: string;
  statuses: C2paReport['validation_status'];
}): JSX.Element | null {
  if (statuses.length === 0) return null;
  return (
    <details>
      <summary>{title}</summary>
      <ul class="codes" lang="en">
        {statuses.map(({ code, explanation, url }) => (
          <li key={`${code}${url}`}>
            <code>{code}</code> {explanation}
          </li>
        ))}
      </ul>
    </details>
  );
}

function ManifestNode({
  report,
  label,
  depth,
}: {
  report: C2paReport;
  label: string;
  depth: number;
}): JSX.Element | null {
  const manifest = report.manifests[label] as Manifest | undefined;
  if (manifest === undefined || depth > DEPTH_MAX) return null;
  const { signature_info: signature } = manifest;
  const generator = manifest.claim_generator_info
    ?.map(({ name, version }) => [name, version].filter(Boolean).join(' '))
    .join(', ');
  const rows: [string, string][] = [
    [t('signer'), [signature?.common_name, signature?.issuer].filter(Boolean).join(', ')],
    [t('signedAt'), signature?.time ?? ''],
    [t('madeWith'), generator ?? manifest.claim_generator ?? ''],
    [t('declaredSources'), sourcesOf(manifest).join(', ')],
    [t('declaredActions'), actionsOf(manifest).join(', ')],
  ];
  return (
    <li>
      <details open={depth === 0}>
        <summary>{manifest.title ?? label}</summary>
        <Facts rows={rows.filter(([, value]) => value !== '')} />
        {(manifest.ingredients ?? []).length > 0 && (
          <ul class="tree">
            {manifest.ingredients?.map((ingredient) => (
              <Ingredient
                key={`${ingredient.title}${ingredient.active_manifest}`}
                {...{ report, ingredient, depth }}
              />
            ))}
          </ul>
        )}
      </details>
    </li>
  );
}

interface IngredientProps {
  report: C2paReport;
  ingredient: NonNullable<Manifest['ingredients']>[number];
  depth: number;
}

function Ingredient({ report, ingredient, depth }: IngredientProps): JSX.Element {
  const { active_manifest: label, title = '', relationship = '' } = ingredient;
  if (label !== undefined && report.manifests[label] !== undefined) {
    return <ManifestNode {...{ report, label }} depth={depth + 1} />;
  }
  return (
    <li>
      {title}{' '}
      <span class="quiet">
        {relationship} · {t('noManifestOfIngredient')}
      </span>
    </li>
  );
}

function actionEntries({
  assertions = [],
}: Manifest): NonNullable<NonNullable<NonNullable<Manifest['assertions']>[number]['data']>['actions']> {
  return assertions
    .filter(({ label }) => label.startsWith('c2pa.actions'))
    .flatMap(({ data }) => data?.actions ?? []);
}

function actionsOf(manifest: Manifest): string[] {
  return [
    ...new Set(
      actionEntries(manifest).flatMap(({ action }) =>
        action === undefined ? [] : [action.replace(/^c2pa\./, '')],
      ),
    ),
  ];
}

function sourcesOf(manifest: Manifest): string[] {
  const types = actionEntries(manifest).flatMap(({ digitalSourceType: type }) =>
    type === undefined ? [] : [type.slice(type.lastIndexOf('/') + 1)],
  );
  return [...new Set(types)].map((type) => findText(`source_${type}`) ?? type);
}
