/**
 * Everything that the daemon and its workers on other boxes say to each other over NATS, and how it is judged: a worker
 * has read hostile bytes, and a credential can be stolen, so its words are input like any other. Figures cross as JSON,
 * which keeps every finite double as it is; files, and what children answer, go by HTTPS.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { z } from 'zod';
import { describeFault } from '../../domain/packs/schema-fault.ts';
import { TRUST_LIST_KINDS, type TrustMaterial } from '../../domain/provenance/trust-list.ts';
import { PROGRESS_STEPS } from '../../domain/records/progress-steps.ts';
import { stepTimeSchema } from '../../domain/records/step-times.ts';
import { VERSION } from '../../domain/version.ts';
import { MEDIA_FAULTS } from '../../worker/protocol/decode-protocol.ts';
import type { AnalysisJob } from '../analyses/analysis-parts.ts';

/** The work queue in JetStream that carries leases. */
export const STREAM = 'ASSAY_LEASES';
/** Form of a worker's name, which is part of its subjects and of the page. */
export const WORKER_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
/** The subject's token for a worker's request. */
export const VERBS = ['hello', 'claim', 'renew', 'end', 'give-back'] as const;
export type Verb = (typeof VERBS)[number];

/** Subject of leases whose work needs these packs in this version. */
export const leaseSubject = (packSet: string, kind: string) => `assay.leases.${packSet}.${kind}`;
export const leaseFilter = (packSet: string) => `assay.leases.${packSet}.>`;
export const consumerOf = (packSet: string) => `set-${packSet}`;
/** Subject on which only that worker may send, and which only it may listen to. */
export const askSubject = (worker: string, verb: Verb) => `assay.workers.${worker}.ask.${verb}`;
export const ASK_SUBJECTS = 'assay.workers.*.ask.*';
export const cancelSubject = (worker: string) => `assay.workers.${worker}.cancel`;
/** Prefix of the answers to one worker, which only it may listen to. */
export const inboxOf = (worker: string) => `assay.inbox.${worker}`;
export const WORKER_INBOXES = 'assay.inbox.*.>';
/** Where the broker answers the daemon. No worker's name gives this inbox. */
export const DAEMON_INBOX = 'assay.daemon.inbox';
/** NATS checks no reply subjects: a worker could name another's, and have the daemon or the broker answer for it. */
export function isOwnInbox(worker: string, reply: string | undefined): boolean {
  return reply?.startsWith(`${inboxOf(worker)}.`) === true;
}

/** Numbers for each pack: enough to find a device that computes otherwise, while 200 packs fit into one message. */
export const GOLDEN_OUTPUTS_MAX = 256;
/** Uncompressed; a model's answers for the tiles of a large picture take two megabytes. */
export const JSON_BYTES_MAX = 16 * 1024 ** 2;

/** More steps than any analysis has. */
const STEPS_MAX = 100;

const text = z.string().max(500);
const leaseId = z.string().max(200);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const short = z.string().max(620);

const trustMaterial = z.strictObject({
  lists: z
    .array(
      z.strictObject({
        id: z.string().max(64),
        sha256,
        kind: z.enum(TRUST_LIST_KINDS),
        authorities: z.array(z.string().max(20_000)).max(1000),
        single: z.array(sha256).max(1000),
        products: z
          .array(
            z.strictObject({
              commonName: short,
              organisation: short,
              unit: short,
              assuranceLevel: z.int().nullable(),
              mayCapture: z.boolean(),
            }),
          )
          .max(5000),
      }),
    )
    .max(32),
  uses: z.array(z.string().max(100)).max(100),
}) satisfies z.ZodType<TrustMaterial>;

const pack = z.strictObject({
  key: z.string().max(200),
  sha256,
  /** Execution provider; null while it loads or if it is not used. */
  provider: z.string().max(50).nullable(),
  precision: z.enum(['full', 'half']).nullable(),
  /** Its first outputs for the golden inputs; null if it gave none. */
  goldenOutputs: z.array(z.number()).max(GOLDEN_OUTPUTS_MAX).nullable(),
  fault: z.string().max(2000).nullable(),
});

export const hello = z.strictObject({
  version: z.string().max(50),
  packs: z.array(pack).max(200),
  /** Analyses that it carries out at once. */
  places: z.int().min(0).max(1024),
  /** Microseconds since 1970 UTC, on its clock. */
  clock: z.int().min(0),
  isDraining: z.boolean(),
});
export type Hello = z.infer<typeof hello>;

/** The fields that a hello of any version has. */
export const anyHello = z.object({ version: z.string().max(50) });

/** Not strict: a worker of another version must be able to read why it gets no work. */
const welcome = z.object({
  /** Why it gets no work; null if it does. */
  refusal: text.nullable(),
  /** Holds until an administrator resumes it. */
  isDrained: z.boolean(),
  packSet: z.string().max(64),
  leaseMs: z.int().min(100),
  /** Terms that decide figures, set by the daemon. */
  terms: z.strictObject({
    trust: trustMaterial,
    stability: z.boolean(),
    analysisTimeoutMs: z.int().min(1),
  }),
});
export type Welcome = z.infer<typeof welcome>;

/** The stream's message: nothing of the job, which only its holder gets. */
export const lease = z.strictObject({ lease: leaseId });
/** The readable part of a message of unknown shape. */
export const anyLease = z.object({ lease: leaseId });

const grant = z.strictObject({
  type: z.literal('granted'),
  analysis: z.custom<AnalysisJob>((value) => typeof value === 'object' && value !== null),
  token: z.string().max(200),
  mediaUrl: z.string().max(2048),
  /** The listener's own certificate (PEM), the only one that is taken; null for clear text on loopback. */
  certificatePem: z.string().max(100_000).nullable(),
});
const claimed = z.discriminatedUnion('type', [
  grant,
  z.strictObject({ type: z.literal('gone') }),
  z.strictObject({ type: z.literal('later') }),
]);
export type Grant = z.infer<typeof grant>;
export type Claimed = z.infer<typeof claimed>;

export const renewal = z.strictObject({
  lease: leaseId,
  progress: z
    .strictObject({ step: z.enum(PROGRESS_STEPS), done: z.number().min(0), total: z.number().min(0) })
    .nullable(),
});
export type Renewal = z.infer<typeof renewal>;

const failure = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('media'), fault: z.enum(MEDIA_FAULTS), message: z.string().max(2000) }),
  z.strictObject({ type: z.literal('lost'), message: z.string().max(2000) }),
  /** The worker's box cannot work at present. */
  z.strictObject({ type: z.literal('wait'), message: z.string().max(2000) }),
]);
export type WorkerFailure = z.infer<typeof failure>;

export const ending = z.strictObject({
  lease: leaseId,
  outcome: z.discriminatedUnion('type', [
    /** All of its children's answers have arrived. */
    z.strictObject({ type: z.literal('done'), stepTimes: z.array(stepTimeSchema).max(STEPS_MAX) }),
    z.strictObject({ type: z.literal('failed'), failure }),
  ]),
});
export type Ending = z.infer<typeof ending>;

const answer = z.strictObject({ isHeld: z.boolean() });

export const ANSWERS = {
  hello: welcome,
  claim: claimed,
  renew: answer,
  end: answer,
  'give-back': answer,
} as const satisfies Record<Verb, z.ZodType>;
export type AnswerTo<V extends Verb> = z.infer<(typeof ANSWERS)[V]>;

/** JSON as `decode` reads it. */
export const deflated = promisify(deflate);
const inflated = promisify(inflate);

export const encode = async (value: unknown): Promise<Uint8Array> => await deflated(JSON.stringify(value));

export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/** Throws UnreadableError for another shape; the error's message names the field. */
export async function decode<T>(
  shape: z.ZodType<T>,
  bytes: Uint8Array,
  onInflated = (_bytes: number) => {},
): Promise<T> {
  let value: unknown;
  try {
    const json = await inflated(bytes, { maxOutputLength: JSON_BYTES_MAX });
    onInflated(json.length);
    value = JSON.parse(json.toString());
  } catch (error) {
    throw new UnreadableError(`it is no deflated JSON: ${error instanceof Error ? error.message : error}`);
  }
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UnreadableError(describeFault(parsed.error));
}

/** What a worker must share with its daemon to get work: the version and the bytes of every model. */
export function packSetOf(packs: readonly { key: string; sha256: string }[], version = VERSION): string {
  const lines = packs.map(({ key, sha256: digest }) => `${key} ${digest}`).sort();
  return createHash('sha256')
    .update([version, ...lines].join('\n'))
    .digest('hex')
    .slice(0, 32);
}
