/** GraphQL: a multipart upload, then the subscription over server-sent events until the record has ended. */
import { type Outcome, type SharedRecord, type Submission, type Way, word } from './outcome.ts';

const FIELDS = `
  identifier hash status errors name refId resultUrl apiVersion forceClassification
  ... on ImageClassification {
    verdict { heuristic confidence classification models }
    verdicts { heuristic confidence classification models }
    results { model unknown classification { label score } }
    hasHeatmap
    c2pa
  }`;

interface GraphqlVerdict {
  heuristic: string;
  confidence: number;
  classification: string;
  models: string[];
}

interface GraphqlRecord {
  identifier: string;
  hash: string;
  status: string;
  errors: string;
  name: string;
  refId: string;
  resultUrl: string;
  apiVersion: string | null;
  forceClassification: string | null;
  verdict: GraphqlVerdict | null;
  verdicts: GraphqlVerdict[];
  results: { model: string; unknown: boolean; classification: { label: string; score: number }[] }[];
  hasHeatmap: boolean;
  c2pa: { validation_state: string } | null;
}

interface SubmitMediaPayload {
  classification: { identifier: string } | null;
  userErrors: { code: string; reason: string; field: string | null }[];
}

interface GraphqlAnswer {
  data?: Record<string, unknown> | null;
  errors?: { message: string; extensions?: { code?: string; reason?: string } }[];
}

export class GraphqlWay implements Way {
  readonly name = 'GraphQL';
  readonly #base: string;
  readonly #key: string;

  constructor(base: string, key: string) {
    this.#base = base;
    this.#key = key;
  }

  withKey(key: string): Way {
    return new GraphqlWay(this.#base, key);
  }

  async classify(submission: Submission): Promise<Outcome> {
    const query = `mutation ($input: SubmitMediaInput!) {
      submitMedia(input: $input) { classification { identifier } userErrors { code reason field } } }`;
    const options = {
      withHeatmap: submission.withHeatmap ?? false,
      preventC2paForces: submission.preventC2paForces ?? false,
    };
    const input = { file: null, kind: 'IMAGE', refId: submission.refId ?? null, options };
    const form = new FormData();
    form.set('operations', JSON.stringify({ query, variables: { input } }));
    form.set('map', JSON.stringify({ 0: ['variables.input.file'] }));
    form.set('0', new Blob([Buffer.from(submission.bytes)]), submission.name);
    const answer = await this.#post(form);
    const fault = faultOf(answer);
    if (fault !== undefined) return fault;
    const data = answer.data as unknown as { submitMedia: SubmitMediaPayload };
    const { classification, userErrors } = data.submitMedia;
    const [first] = userErrors;
    if (first !== undefined) {
      return { fault: { code: first.code.toLowerCase(), reason: first.reason, field: first.field ?? '' } };
    }
    if (classification === null) throw new Error('neither a classification nor an error');
    return await this.#follow(classification.identifier);
  }

  async read(identifier: string): Promise<Outcome> {
    const query = `query ($identifier: ID!) { classification(identifier: $identifier) { ${FIELDS} } }`;
    const answer = await this.#post(JSON.stringify({ query, variables: { identifier } }));
    const fault = faultOf(answer);
    if (fault !== undefined) return fault;
    return { record: toShared(answer.data?.classification as GraphqlRecord) };
  }

  async #follow(identifier: string): Promise<Outcome> {
    const query = `subscription ($identifier: ID!) { classification(identifier: $identifier) { ${FIELDS} } }`;
    const response = await fetch(`${this.#base}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': this.#key, accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { identifier } }),
    });
    let last: GraphqlRecord | undefined;
    for (const event of (await response.text()).split('\n\n')) {
      const data = /^data: ?(.+)$/m.exec(event)?.[1];
      if (data === undefined) continue;
      const answer = JSON.parse(data) as GraphqlAnswer;
      if (answer.data?.classification !== undefined) last = answer.data.classification as GraphqlRecord;
    }
    if (last === undefined) throw new Error('the subscription said nothing');
    return { record: toShared(last) };
  }

  async #post(body: FormData | string): Promise<GraphqlAnswer> {
    const type: Record<string, string> =
      typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    const headers = { 'x-api-key': this.#key, accept: 'application/json', ...type };
    const response = await fetch(`${this.#base}/graphql`, { method: 'POST', headers, body });
    return (await response.json()) as GraphqlAnswer;
  }
}

function faultOf({ errors }: GraphqlAnswer): Outcome | undefined {
  const extensions = errors?.[0]?.extensions;
  if (errors === undefined) return undefined;
  const code = (extensions?.code ?? '').toLowerCase();
  return { fault: { code, reason: extensions?.reason ?? '', field: '' } };
}

function toVerdict(verdict: GraphqlVerdict): SharedRecord['verdict'] {
  const { heuristic, confidence, classification, models } = verdict;
  return {
    heuristic: heuristic.toLowerCase(),
    confidence,
    classification: classification.toLowerCase(),
    models,
  };
}

function toShared(record: GraphqlRecord): SharedRecord {
  if (record.verdict === null) throw new Error(`no verdict on a record that is ${record.status}`);
  return {
    identifier: record.identifier,
    hash: record.hash,
    status: word(record.status, 'status_'),
    errors: record.errors,
    name: record.name,
    refId: record.refId,
    resultUrl: record.resultUrl,
    apiVersion: record.apiVersion ?? '',
    forced: word(record.forceClassification, 'label_'),
    verdict: toVerdict(record.verdict),
    verdicts: record.verdicts.map(toVerdict),
    results: record.results.map(({ model, unknown, classification }) => ({
      model,
      unknown,
      scores: classification.map(({ label, score }) => [label.toLowerCase(), score]),
    })),
    hasHeatmap: record.hasHeatmap,
    validationState: record.c2pa?.validation_state ?? '',
  };
}
