/** How a file came about, as its manifests declare it: the chain of manifests, oldest first, and what each did. Pure. */
import { type Choice, moment, noun, nullable, oneOf, text, type ValuesOf } from '../field.ts';
import { parseTime } from '../time.ts';
import type { ActionFacts, DeviceFact, ManifestFacts, StoreFacts } from './manifest-facts.ts';
import type { Sentence } from './sentence.ts';
import { findSourceType } from './source-types.ts';

const STEP_KIND = {
  name: 'StepKind',
  words: [
    'captured',
    'generated',
    'created',
    'opened',
    'edited',
    'placed',
    'converted',
    'published',
    'other',
  ],
} as const satisfies Choice;
export type StepKind = (typeof STEP_KIND.words)[number];

export const TIMELINE_STEP = {
  kind: oneOf(STEP_KIND),
  action: text('As declared: c2pa.created.'),
  at: nullable(moment('As declared; null where no time is.')),
  by: text('The program or device.'),
  sourceType: text('Term of the IPTC vocabulary, as declared.'),
  sourceTypeWords: nullable(
    noun<Sentence>('Sentence', 'Null where none is declared or the vocabulary has no such term.'),
  ),
  description: text(),
};
export interface TimelineStep extends ValuesOf<typeof TIMELINE_STEP> {}

const KIND_OF_ACTION: ReadonlyMap<string, StepKind> = new Map(
  Object.entries<StepKind>({
    'c2pa.created': 'created',
    'c2pa.opened': 'opened',
    'c2pa.placed': 'placed',
    'c2pa.removed': 'edited',
    'c2pa.converted': 'converted',
    'c2pa.transcoded': 'converted',
    'c2pa.repackaged': 'converted',
    'c2pa.published': 'published',
    'c2pa.unknown': 'other',
  }),
);

export function stepsOf(
  facts: Pick<ManifestFacts, 'actions' | 'generator' | 'device' | 'ingredients'>,
): TimelineStep[] {
  const { actions, generator, device, ingredients } = facts;
  // Cameras of the first years declare no action: a manifest without ingredients that names the device was captured by it.
  if (actions.length === 0 && device !== null && ingredients.length === 0) return [captured(device)];
  return actions.map(({ action, when, agent, sourceType, description }) => ({
    kind: kindOf(action, sourceType),
    at: parseTime(when) ?? null,
    by: agent === '' ? generator : agent,
    sourceTypeWords: sourceType === '' ? null : (findSourceType(sourceType)?.words ?? null),
    action,
    sourceType,
    description,
  }));
}

function captured({ name, when }: DeviceFact): TimelineStep {
  const none = { sourceType: '', sourceTypeWords: null, description: '' };
  return { kind: 'captured', action: 'stds.exif', at: parseTime(when) ?? null, by: name, ...none };
}

function kindOf(action: string, sourceType: string): StepKind {
  const kind = KIND_OF_ACTION.get(action) ?? (action.startsWith('c2pa.') ? 'edited' : 'other');
  if (kind !== 'created') return kind;
  const origin = findSourceType(sourceType)?.origin;
  if (origin === 'captured') return 'captured';
  return origin === 'generated' || origin === 'composite_with_generated' ? 'generated' : 'created';
}

/** Oldest first, the active one last; unconnected ones come before all others. */
export function orderManifests({ manifests, active }: StoreFacts): ManifestFacts[] {
  const byLabel = new Map(manifests.map((manifest) => [manifest.label, manifest]));
  const ordered = new Set<ManifestFacts>();
  const open = new Set<string>();
  const visit = (label: string): void => {
    const manifest = byLabel.get(label);
    if (manifest === undefined || ordered.has(manifest) || open.has(label)) return;
    open.add(label);
    for (const ingredient of manifest.ingredients) visit(ingredient.manifest);
    ordered.add(manifest);
  };
  visit(active);
  return [...manifests.filter((manifest) => !ordered.has(manifest)), ...ordered];
}

/** The active manifest and its ancestors, youngest first. */
export function lineage({ manifests, active }: StoreFacts): ManifestFacts[] {
  const line: ManifestFacts[] = [];
  let label = active;
  for (;;) {
    const manifest = manifests.find((it) => it.label === label);
    if (manifest === undefined || line.includes(manifest)) return line;
    line.push(manifest);
    label = manifest.ingredients.find(({ relationship }) => relationship === 'parent')?.manifest ?? '';
  }
}

/** Whether an action of that kind began it. */
export function isBegunBy(actions: readonly ActionFacts[], kind: StepKind): boolean {
  return actions.some(({ action, sourceType }) => kindOf(action, sourceType) === kind);
}
