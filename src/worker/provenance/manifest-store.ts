/** The reader's JSON as facts. The file's maker wrote all of it: lists are bounded, texts cut, odd shapes left out. */
import type {
  ActionFacts,
  CodeFact,
  DeviceFact,
  IdentityFact,
  IngredientFacts,
  ManifestFacts,
  Relationship,
  TrainingMiningFact,
} from '../../domain/provenance/manifest-facts.ts';
import { CODE_KINDS, type CodeKind } from '../../domain/provenance/validation-codes.ts';
import { asList, asObject, asText, type Json, ofKind } from './hostile-json.ts';
import { BY_CERTIFICATE } from './signature-box.ts';

/** A chain of edits has a few; real stores have up to some twenty. */
export const MANIFESTS_MAX = 32;
const CODES_MAX = 60;
const ACTIONS_MAX = 50;
const INGREDIENTS_MAX = 16;
const ENTRIES_MAX = 16;
const IDENTITIES_MAX = 8;

/** A manifest's own statements, without its signature box. */
export interface ReadManifest extends Omit<ManifestFacts, 'signer' | 'ingredients'> {
  signature: { name: string; organisation: string; serialNumber: string; time: string } | null;
  ingredients: (Omit<IngredientFacts, 'thumbnail'> & { thumbnail: ThumbnailPlace | null })[];
  /** Serial numbers of the certificates that sign identity assertions, in decimals. */
  identitySerials: string[];
}

export interface ThumbnailPlace {
  format: string;
  identifier: string;
}

export interface ReadStore {
  active: string;
  manifests: ReadManifest[];
  leftOut: number;
}

export function readStore(value: unknown): ReadStore {
  const json = asObject(value);
  const active = asText(json.active_manifest);
  const manifests = Object.entries(asObject(json.manifests));
  // The active manifest is never the one that is left out.
  const ordered = manifests.toSorted(([a], [b]) => Number(b === active) - Number(a === active));
  const codes = throughUpdates(json, active, codesByManifest(json, active));
  return {
    active,
    manifests: ordered.slice(0, MANIFESTS_MAX).map(([label, manifest]) => {
      const found = codes.get(label) ?? [];
      return { ...toManifest(asText(label), asObject(manifest)), codes: found.slice(0, CODES_MAX) };
    }),
    leftOut: Math.max(0, ordered.length - MANIFESTS_MAX),
  };
}

function toManifest(label: string, manifest: Json): Omit<ReadManifest, 'codes'> {
  const assertions = asList(manifest.assertions).map(asObject);
  const ofLabel = (pattern: RegExp) =>
    assertions.filter((assertion) => pattern.test(asText(assertion.label))).map(({ data }) => asObject(data));
  const identities = ofLabel(/^cawg\.identity/);
  return {
    label,
    title: asText(manifest.title),
    format: asText(manifest.format),
    generator: generatorOf(manifest),
    signature: signatureOf(manifest.signature_info),
    actions: ofLabel(/^c2pa\.actions(\.v\d+)?(__\d+)?$/)
      .flatMap((data) => asList(data.actions))
      .slice(0, ACTIONS_MAX)
      .map((action) => toAction(asObject(action))),
    device: deviceOf(ofLabel(/^(stds\.exif|c2pa\.metadata)/)),
    ingredients: asList(manifest.ingredients)
      .slice(0, INGREDIENTS_MAX)
      .map((ingredient) => toIngredient(asObject(ingredient))),
    trainingMining: ofLabel(/^(c2pa|cawg)\.training-mining/)
      .flatMap(toTrainingMining)
      .slice(0, ENTRIES_MAX),
    identities: identities.flatMap(toIdentities).slice(0, IDENTITIES_MAX),
    identitySerials: identities
      .filter((data) => asObject(data.signer_payload).sig_type === BY_CERTIFICATE)
      .map((data) => asText(asObject(data.signature_info).cert_serial_number)),
  };
}

function generatorOf(manifest: Json): string {
  const [info] = asList(manifest.claim_generator_info).map(asObject);
  const name = asText(info?.name) || asText(manifest.claim_generator);
  return [name, asText(info?.version)].filter((part) => part !== '').join(' ');
}

function signatureOf(value: unknown): ReadManifest['signature'] {
  if (ofKind(value) !== 'object') return null;
  const info = asObject(value);
  const [name, organisation] = [asText(info.common_name), asText(info.issuer)];
  return { name, organisation, serialNumber: asText(info.cert_serial_number), time: asText(info.time) };
}

function toAction(action: Json): ActionFacts {
  const agent = ofKind(action.softwareAgent) === 'object' ? asObject(action.softwareAgent) : null;
  const parameters = asObject(action.parameters);
  return {
    action: asText(action.action),
    when: asText(action.when),
    agent:
      agent === null
        ? asText(action.softwareAgent)
        : [asText(agent.name), asText(agent.version)].join(' ').trim(),
    sourceType: asText(action.digitalSourceType),
    description: asText(action.description) || asText(parameters.description),
  };
}

/** Writers spell the prefixes `exif`, `EXIF` and `tiff`. */
function deviceOf(assertions: readonly Json[]): DeviceFact | null {
  const values = new Map<string, string>();
  for (const [key, value] of assertions.flatMap((data) => Object.entries(data))) {
    const [prefix = '', name = ''] = key.split(':');
    if (/^(exif|tiff)$/i.test(prefix)) values.set(name, asText(value));
  }
  const [make = '', model = ''] = [values.get('Make'), values.get('Model')];
  // Most models begin with the make.
  const name = model.toLowerCase().startsWith(make.split(' ')[0]?.toLowerCase() ?? '')
    ? model
    : `${make} ${model}`;
  if (name.trim() === '') return null;
  return { name: name.trim(), when: values.get('DateTimeOriginal') ?? '' };
}

const RELATIONSHIP_OF: ReadonlyMap<string, Relationship> = new Map(
  Object.entries<Relationship>({ parentOf: 'parent', inputTo: 'input' }),
);

function toIngredient(ingredient: Json): ReadManifest['ingredients'][number] {
  const thumbnail = asObject(ingredient.thumbnail);
  const identifier = ofKind(thumbnail.identifier) === 'string' ? String(thumbnail.identifier) : '';
  return {
    title: asText(ingredient.title),
    format: asText(ingredient.format),
    relationship: RELATIONSHIP_OF.get(asText(ingredient.relationship)) ?? 'component',
    manifest: asText(ingredient.active_manifest),
    thumbnail: identifier === '' ? null : { format: asText(thumbnail.format), identifier },
  };
}

function toTrainingMining(data: Json): TrainingMiningFact[] {
  return Object.entries(asObject(data.entries)).map(([name, entry]) => ({
    use: asText(name).replace(/^(c2pa|cawg)\./, ''),
    permission: asText(asObject(entry).use),
  }));
}

/** An aggregator's verified accounts; for a certificate, the reader's own view of it. */
function toIdentities(data: Json): IdentityFact[] {
  const verified = asList(data.verifiedIdentities).map(asObject);
  if (verified.length > 0) {
    return verified.map(({ name, username, provider }) => ({
      name: asText(name) || asText(username),
      provider: asText(asObject(provider).name),
    }));
  }
  const signature = asObject(data.signature_info);
  const name = asText(signature.common_name) || asText(signature.issuer);
  return name === '' ? [{ name: 'unnamed', provider: '' }] : [{ name, provider: asText(signature.issuer) }];
}

/** Codes of the reader, and those that writers recorded of their ingredients: the reader reports only differences. */
function codesByManifest(json: Json, active: string): Map<string, CodeFact[]> {
  const own = new CodeBook();
  const recorded = new CodeBook();
  const results = asObject(json.validation_results);
  own.addAll(asObject(results.activeManifest), active, true);
  for (const delta of asList(results.ingredientDeltas).map(asObject)) {
    own.addAll(asObject(delta.validationDeltas), labelOf(asText(delta.ingredientAssertionURI)) ?? active);
  }
  for (const manifest of Object.values(asObject(json.manifests)).map(asObject)) {
    for (const ingredient of asList(manifest.ingredients).map(asObject)) {
      const about = asText(ingredient.active_manifest);
      if (about === '') continue;
      recorded.addAll(asObject(asObject(ingredient.validation_results).activeManifest), about);
      recorded.add('failure', asList(ingredient.validation_status), about);
    }
  }
  return own.with(recorded);
}

/** Codes of a hash over the file itself, not over a part of the manifest. */
const BINDING = /^assertion\.\w+Hash\.|^claim\.hardBindings\./;

/** An update manifest has no hash of the file: that of the updated one is checked, and only differences are reported. */
function throughUpdates(json: Json, active: string, codes: Map<string, CodeFact[]>): Map<string, CodeFact[]> {
  const seen = new Set<string>();
  for (let label = active; label !== '' && !seen.has(label); label = parentOf(json, label)) {
    seen.add(label);
    const bindings = (codes.get(label) ?? []).filter(({ code }) => BINDING.test(code));
    if (bindings.length === 0) continue;
    if (label === active) return codes;
    return new Map(codes).set(active, [...bindings, ...(codes.get(active) ?? [])]);
  }
  return codes;
}

function parentOf(json: Json, label: string): string {
  const manifest = asObject(new Map(Object.entries(asObject(json.manifests))).get(label));
  const ingredients = asList(manifest.ingredients).map(asObject);
  return asText(ingredients.find(({ relationship }) => relationship === 'parentOf')?.active_manifest);
}

/** The reader's own codes replace those that a writer recorded by lists and a clock of its own. */
const JUDGED_HERE = /^(signingCredential\.|timeStamp\.|timeOfSigning\.|claimSignature\.(in|out)sideValidity)/;

class CodeBook {
  readonly #codes = new Map<string, Map<string, CodeFact>>();

  addAll(results: Json, label: string, isActive = false): void {
    for (const kind of CODE_KINDS) this.add(kind, asList(results[kind]), label, isActive);
  }

  add(kind: CodeKind, statuses: readonly unknown[], label: string, isActive = false): void {
    for (const status of statuses.map(asObject)) {
      const [code, url] = [asText(status.code), asText(status.url)];
      // A broken hash over the file concerns the active manifest.
      const about = (isActive && BINDING.test(code) ? null : labelOf(url)) ?? label;
      const isAboutIdentity = /\/cawg\.identity/.test(url) || code.startsWith('cawg.');
      const book = this.#codes.get(about) ?? new Map<string, CodeFact>();
      this.#codes.set(about, book);
      const key = `${kind} ${code} ${isAboutIdentity}`;
      const known = book.get(key);
      if (known !== undefined) known.count += 1;
      else book.set(key, { code, kind, count: 1, isAboutIdentity, explanation: asText(status.explanation) });
    }
  }

  with(recorded: CodeBook): Map<string, CodeFact[]> {
    const labels = new Set([...this.#codes.keys(), ...recorded.#codes.keys()]);
    return new Map([...labels].map((label) => [label, this.#merge(label, recorded)]));
  }

  /** Failures first, so that a bound never hides them. */
  #merge(label: string, recorded: CodeBook): CodeFact[] {
    const own = [...(this.#codes.get(label)?.values() ?? [])];
    const isJudged = own.some(({ code }) => JUDGED_HERE.test(code));
    const others = [...(recorded.#codes.get(label)?.values() ?? [])].filter(
      ({ code, kind }) =>
        !(isJudged && JUDGED_HERE.test(code)) && !own.some((it) => it.code === code && it.kind === kind),
    );
    return [...own, ...others].toSorted((a, b) => CODE_KINDS.indexOf(b.kind) - CODE_KINDS.indexOf(a.kind));
  }
}

/** `self#jumbf=/c2pa/LABEL/…`; null if it names no manifest. */
const labelOf = (url: string): string | null => /^self#jumbf=\/c2pa\/([^/]+)/.exec(url)?.[1] ?? null;
