/** REST as a plain HTTP client uses it: multipart in, polling out. */
import type { Outcome, SharedRecord, SharedVerdict, Submission, Way } from './outcome.ts';

interface RestVerdict extends SharedVerdict {}

interface RestRecord {
  identifier: string;
  hash: string;
  status: string;
  errors: string;
  name: string;
  ref_id: string;
  result_url: string;
  api_version?: string;
  force_classification?: string;
  verdict: RestVerdict;
  verdicts: RestVerdict[];
  results: { model: string; unknown: boolean; classification: { label: string; score: number }[] }[];
  has_heatmap: boolean;
  c2pa: { validation_state: string } | null;
}

const POLL_MS = 50;
const POLLS_MAX = 600;

/** Status to code; REST's bodies carry no code of their own. */
const CODES: Record<number, string> = {
  400: 'invalid_argument',
  401: 'unauthenticated',
  404: 'not_found',
  413: 'invalid_argument',
  422: 'invalid_argument',
};

export class RestWay implements Way {
  readonly name = 'REST';
  readonly #base: string;
  readonly #key: string;

  constructor(base: string, key: string) {
    this.#base = base;
    this.#key = key;
  }

  withKey(key: string): Way {
    return new RestWay(this.#base, key);
  }

  async classify(submission: Submission): Promise<Outcome> {
    const form = new FormData();
    form.set('image', new Blob([Buffer.from(submission.bytes)]), submission.name);
    if (submission.refId !== undefined) form.set('ref_id', submission.refId);
    if (submission.withHeatmap) form.set('with_heatmap', 'true');
    if (submission.preventC2paForces) form.set('prevent_c2pa_forces', 'true');
    const response = await this.#call('/api/classification', { method: 'POST', body: form });
    if (!response.ok) return await faultOf(response);
    const { identifier } = (await response.json()) as { identifier: string };
    for (let poll = 0; poll < POLLS_MAX; poll += 1) {
      const outcome = await this.read(identifier);
      if ('fault' in outcome || outcome.record.status !== 'new') return outcome;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error('the record did not end');
  }

  async read(identifier: string): Promise<Outcome> {
    const response = await this.#call(`/api/classification/${identifier}`, {});
    if (!response.ok) return await faultOf(response);
    return { record: toShared((await response.json()) as RestRecord) };
  }

  #call(path: string, init: RequestInit): Promise<Response> {
    return fetch(`${this.#base}${path}`, {
      ...init,
      headers: { 'x-api-key': this.#key, accept: 'application/json' },
    });
  }
}

function toShared(record: RestRecord): SharedRecord {
  return {
    identifier: record.identifier,
    hash: record.hash,
    status: record.status,
    errors: record.errors,
    name: record.name,
    refId: record.ref_id,
    resultUrl: record.result_url,
    apiVersion: record.api_version ?? '',
    forced: record.force_classification ?? '',
    verdict: record.verdict,
    verdicts: record.verdicts,
    results: record.results.map(({ model, unknown, classification }) => ({
      model,
      unknown,
      scores: classification.map(({ label, score }) => [label, score]),
    })),
    hasHeatmap: record.has_heatmap,
    validationState: record.c2pa?.validation_state ?? '',
  };
}

async function faultOf(response: Response): Promise<Outcome> {
  const { error } = (await response.json()) as { error: string | Record<string, string[]> };
  const field = typeof error === 'string' ? '' : (Object.keys(error)[0] ?? '');
  return {
    fault: {
      code: CODES[response.status] ?? String(response.status),
      reason: String(response.status),
      field,
    },
  };
}
