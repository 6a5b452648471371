import type { Label, MediaKind } from '../../../src/domain/media/media.ts';
import { toWhole, type WholeRecord } from '../media-record.ts';
import { AccountCalls } from './account-calls.ts';
import {
  type Fault,
  type FullCaller,
  mapValue,
  type Result,
  type SharedOverride,
  type SharedOverrideEntry,
  type SharedValidation,
  type SubmitOptions,
} from './caller.ts';
import { GraphqlOperations } from './operation-callers.ts';

const VERDICT = 'heuristic confidence classification models count unknown';
const BASE = `identifier hash status errors name apiVersion verdict { ${VERDICT} } verdicts { ${VERDICT} }`;
const RESULTS = 'results { model unknown classification { label score } }';
const AUDIO = `${BASE} ${RESULTS} clips { index start end verdict { ${VERDICT} } }`;
const RECORD = `${BASE} refId resultUrl forceClassification
  ... on ImageClassification { ${RESULTS} hasHeatmap c2pa }
  ... on AudioClassification { ${AUDIO} }
  ... on VideoClassification { images { ${BASE} ${RESULTS} } audios { ${AUDIO} } }`;
const ERRORS = 'userErrors { code reason field }';
const LIST_MAX = 100;

interface Payload {
  userErrors: { code: string; reason: string; field: string | null }[];
}

interface GraphqlAnswer {
  data?: Record<string, unknown> | null;
  errors?: { message: string; extensions?: { code?: string; reason?: string } }[];
}

type Variables = Record<string, unknown>;

interface SentFile {
  bytes: Uint8Array;
  name?: string | undefined;
}

export class GraphqlCaller extends AccountCalls implements FullCaller {
  readonly name = 'GraphQL';
  readonly #url: string;
  readonly #key: string;

  constructor(base: string, key: string) {
    super(new GraphqlOperations(base, key));
    this.#url = `${base}/graphql`;
    this.#key = key;
  }

  async submit(kind: MediaKind, bytes: Uint8Array, options: SubmitOptions = {}): Promise<Result<string>> {
    const { name, refId, noCache, ...analysis } = options;
    const input = { file: null, kind: kind.toUpperCase(), refId, noCache, options: analysis };
    const query = `mutation ($input: SubmitMediaInput!) {
      submitMedia(input: $input) { classification { identifier } ${ERRORS} } }`;
    const file = { bytes, name };
    const result = await this.#mutate<{ classification: { identifier: string } }>(query, { input }, file);
    return mapValue(result, ({ classification }) => classification.identifier);
  }

  async classify(
    kind: MediaKind,
    bytes: Uint8Array,
    options: SubmitOptions = {},
  ): Promise<Result<WholeRecord>> {
    const submitted = await this.submit(kind, bytes, options);
    return 'fault' in submitted ? submitted : { value: await this.#follow(submitted.value) };
  }

  async read(_kind: MediaKind, identifier: string): Promise<Result<WholeRecord>> {
    const query = `query ($identifier: ID!) { classification(identifier: $identifier) { ${RECORD} } }`;
    return mapValue(await this.#ask<Record<string, unknown>>(query, { identifier }), toWhole);
  }

  async readMany(kind: MediaKind, identifiers: string[]): Promise<Result<string[]>> {
    const query = `query ($identifiers: [ID!], $kind: MediaKind) {
      classifications(identifiers: $identifiers, kind: $kind, first: ${LIST_MAX}) { nodes { identifier } } }`;
    return identifiersOf(await this.#ask(query, { identifiers, kind: kind.toUpperCase() }));
  }

  async list(kind: MediaKind): Promise<Result<string[]>> {
    const query = `query ($kind: MediaKind) {
      classifications(kind: $kind, first: ${LIST_MAX}) { nodes { identifier } } }`;
    return identifiersOf(await this.#ask(query, { kind: kind.toUpperCase() }));
  }

  async validate(
    kind: MediaKind,
    bytes: Uint8Array,
    options: SubmitOptions = {},
  ): Promise<Result<SharedValidation>> {
    const query = `mutation ($input: ValidateMediaInput!) { validateMedia(input: $input) {
      validation { valid filesize mimetype width height models } ${ERRORS} } }`;
    const input = { file: null, kind: kind.toUpperCase(), options };
    const result = await this.#mutate<{ validation: SharedValidation }>(query, { input }, { bytes });
    return mapValue(result, ({ validation }) => ({ ...validation, models: validation.models.sort() }));
  }

  override(kind: MediaKind, hash: string, label: Label | ''): Promise<Result<SharedOverride>> {
    return this.#override(kind, hash, label, '');
  }

  overrideBecause(
    kind: MediaKind,
    hash: string,
    label: Label,
    reason: string,
  ): Promise<Result<SharedOverride>> {
    return this.#override(kind, hash, label, reason);
  }

  async removeOverride(kind: MediaKind, hash: string): Promise<Result<SharedOverride>> {
    const query = `mutation ($input: RemoveOverrideInput!) { removeOverride(input: $input) {
      override { classification type: kind hash } ${ERRORS} } }`;
    const input = { kind: kind.toUpperCase(), hash };
    return mapValue(await this.#mutate<{ override: SharedOverride }>(query, { input }), toOverride);
  }

  async overrideHistory(kind: MediaKind, hash: string): Promise<Result<SharedOverrideEntry[]>> {
    const query = `query ($kind: MediaKind!, $hash: String!) {
      overrides(kind: $kind, hash: $hash) { classification measured reason byAccountId } }`;
    const result = await this.#ask<SharedOverrideEntry[]>(query, { kind: kind.toUpperCase(), hash });
    return mapValue(result, (entries) =>
      entries.map(({ classification, measured, reason, byAccountId }) => ({
        classification: classification.toLowerCase(),
        measured: (measured ?? '').toLowerCase(),
        reason,
        byAccountId: Number(byAccountId),
      })),
    );
  }

  /** The subscription over server-sent events, which ends with the record. */
  async #follow(identifier: string): Promise<WholeRecord> {
    const query = `subscription ($identifier: ID!) { classification(identifier: $identifier) { ${RECORD} } }`;
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'x-api-key': this.#key, accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { identifier } }),
    });
    const records = (await response.text()).split('\n\n').flatMap((event) => {
      const data = /^data: ?(.+)$/m.exec(event)?.[1];
      return data === undefined ? [] : ((JSON.parse(data) as GraphqlAnswer).data?.classification ?? []);
    });
    const last = records.at(-1);
    if (last === undefined) throw new Error('the subscription said nothing');
    return toWhole(last as Record<string, unknown>);
  }

  async #override(
    kind: MediaKind,
    hash: string,
    label: string,
    reason: string,
  ): Promise<Result<SharedOverride>> {
    const query = `mutation ($input: OverrideClassificationInput!) { overrideClassification(input: $input) {
      override { classification type: kind hash } ${ERRORS} } }`;
    const input = { kind: kind.toUpperCase(), hash, classification: label.toUpperCase(), reason };
    return mapValue(await this.#mutate<{ override: SharedOverride }>(query, { input }), toOverride);
  }

  async #mutate<T>(query: string, variables: Variables, file?: SentFile): Promise<Result<T>> {
    const result = await this.#ask<T & Payload>(query, variables, file);
    if ('fault' in result) return result;
    const [first] = result.value.userErrors;
    if (first !== undefined) {
      const { code, reason, field } = first;
      return { fault: { code: code.toLowerCase(), reason, field: field ?? '' } };
    }
    const { userErrors: _none, ...value } = result.value;
    return { value: value as unknown as T };
  }

  /** Returns the value of the only root field. */
  async #ask<T>(query: string, variables: Variables, file?: SentFile): Promise<Result<T>> {
    const operations = JSON.stringify({ query, variables });
    const json: Record<string, string> = file === undefined ? { 'content-type': 'application/json' } : {};
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'x-api-key': this.#key, accept: 'application/json', ...json },
      body: file === undefined ? operations : toForm(operations, file),
    });
    const { data, errors } = (await response.json()) as GraphqlAnswer;
    const [first] = errors ?? [];
    if (first !== undefined) return { fault: faultOf(first) };
    return { value: Object.values(data ?? {})[0] as T };
  }
}

function faultOf({ message, extensions }: NonNullable<GraphqlAnswer['errors']>[number]): Fault {
  const code = (extensions?.code ?? '').toLowerCase();
  return { code, reason: extensions?.reason ?? message, field: '' };
}

function toForm(operations: string, { bytes, name = 'file' }: SentFile): FormData {
  const form = new FormData();
  form.set('operations', operations);
  form.set('map', JSON.stringify({ 0: ['variables.input.file'] }));
  form.set('0', new Blob([new Uint8Array(bytes)]), name);
  return form;
}

function toOverride({ override }: { override: SharedOverride }): SharedOverride {
  const { classification, type, hash } = override;
  return { classification: classification.toLowerCase(), type: type.toLowerCase(), hash };
}

function identifiersOf(result: Result<{ nodes: { identifier: string }[] }>): Result<string[]> {
  return mapValue(result, ({ nodes }) => nodes.map(({ identifier }) => identifier));
}
