/** What a submission comes to, the same words for every facade. */
export type Outcome = { record: SharedRecord } | { fault: { code: string; reason: string; field: string } };

/** The fields that all facades and the command line must show alike. */
export interface SharedRecord {
  identifier: string;
  hash: string;
  status: string;
  errors: string;
  name: string;
  refId: string;
  resultUrl: string;
  apiVersion: string;
  forced: string;
  verdict: SharedVerdict;
  verdicts: SharedVerdict[];
  results: { model: string; unknown: boolean; scores: [string, number][] }[];
  hasHeatmap: boolean;
  validationState: string;
}

export interface SharedVerdict {
  heuristic: string;
  confidence: number;
  classification: string;
  models: string[];
}

export interface Submission {
  bytes: Uint8Array;
  name: string;
  refId?: string;
  withHeatmap?: boolean;
  preventC2paForces?: boolean;
}

/** One way into the daemon. */
export interface Way {
  readonly name: string;
  /** Submits and follows live status until the record has ended; no polling where the facade can push. */
  classify(submission: Submission): Promise<Outcome>;
  read(identifier: string): Promise<Outcome>;
  withKey(key: string): Way;
}

/** Lower case without an enum's prefix: `LABEL_HUMAN`, `HUMAN` and `human` are one word. */
export function word(value: unknown, prefix: string): string {
  const text = String(value ?? '').toLowerCase();
  const plain = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  return plain === 'unspecified' ? '' : plain;
}
