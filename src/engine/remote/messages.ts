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
import { PROGRESS_STEPS } from '../../domain/records/progress-steps.ts';
import { stepTimeSchema } from '../../domain/records/step-times.ts';
import { VERSION } from '../../domain/version.ts';
import { MEDIA_FAULTS } from '../../worker/protocol/decode-protocol.ts';
import type { AnalysisJob } from '../analyses/analysis-parts.ts';
import { trustMaterial } from './trust-material.ts';

/** The work queue in JetStream that carries leases. */
export const STREAM = 'ASSAY_LEASES';
/** What a worker may be called: part of its subjects and of the page. */
export const WORKER_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
/** A token of the subject that names what a worker asks. */
export const VERBS = ['hello', 'claim', 'renew', 'end', 'give-back'] as const;
export type Verb = (typeof VERBS)[number];

/** Where leases lie whose work needs these packs in this version. */
export const leaseSubject = (packSet: string, kind: string) => `assay.leases.${packSet}.${kind}`;
export const leaseFilter = (packSet: string) => `assay.leases.${packSet}.>`;
export const consumerOf = (packSet: string) => `set-${packSet}`;
/** On what only that worker may speak, and only it may listen. */
export const askSubject = (worker: string, verb: Verb) => `assay.workers.${worker}.ask.${verb}`;
export const ASK_SUBJECTS = 'assay.workers.*.ask.*';
export const cancelSubject = (worker: string) => `assay.workers.${worker}.cancel`;
/** Where answers to one worker come. Only that worker may listen there. */
export const inboxOf = (worker: string) => `assay.inbox.${worker}`;
export const WORKER_INBOXES = 'assay.inbox.*.>';
/** Where the broker answers the daemon. No worker's name makes this its inbox. */
export const DAEMON_INBOX = 'assay.daemon.inbox';
/**
 * NATS does not check reply subjects. A worker that names another's question as its own would make the daemon speak in
 * the other's name, and the broker relays words of its own in the same way.
 */
export function isOwnInbox(worker: string, reply: string | undefined): boolean {
  return reply?.startsWith(`${inboxOf(worker)}.`) === true;
}

/** Numbers for each pack: enough to find a device that computes otherwise, and 200 packs of them go into one message. */
export const GOLDEN_OUTPUTS_MAX = 256;
/** Inflated; what a model says of the tiles of a large picture takes two megabytes. */
export const JSON_BYTES_MAX = 16 * 1024 ** 2;

/** More steps than any analysis has. */
const STEPS_MAX = 100;

const text = z.string().max(500);
const leaseId = z.string().max(200);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const pack = z.strictObject({
  key: z.string().max(200),
  sha256,
  /** Execution provider; null while it loads or if it is not used. */
  provider: z.string().max(50).nullable(),
  precision: z.enum(['full', 'half']).nullable(),
  /** What it gives here for the golden inputs, the first of them; null if it gave none. */
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

/** What a hello of any version holds. */
export const anyHello = z.object({ version: z.string().max(50) });

/** Not strict: a worker of another version is to read why it gets no work. */
const welcome = z.object({
  /** Why it gets no work; null if it does. */
  refusal: text.nullable(),
  /** Until an administrator resumes it. */
  isDrained: z.boolean(),
  packSet: z.string().max(64),
  leaseMs: z.int().min(100),
  /** What decides figures and is the daemon's to say. */
  terms: z.strictObject({
    trust: trustMaterial,
    stability: z.boolean(),
    analysisTimeoutMs: z.int().min(1),
  }),
});
export type Welcome = z.infer<typeof welcome>;

/** What lies in the stream: nothing of the job, which only its holder gets. */
export const lease = z.strictObject({ lease: leaseId });
/** What is left of a word that cannot be read otherwise. */
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
  /** The worker's box cannot work just now. */
  z.strictObject({ type: z.literal('wait'), message: z.string().max(2000) }),
]);
export type WorkerFailure = z.infer<typeof failure>;

export const ending = z.strictObject({
  lease: leaseId,
  outcome: z.discriminatedUnion('type', [
    /** All that its children answered has come. */
    z.strictObject({ type: z.literal('done'), stepTimes: z.array(stepTimeSchema).max(STEPS_MAX) }),
    z.strictObject({ type: z.literal('failed'), failure }),
  ]),
});
export type Ending = z.infer<typeof ending>;

const answer = z.strictObject({ isHeld: z.boolean() });

/** What the daemon answers, by what was asked. */
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

/** A word that is no message of the shape that was expected. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/** Throws UnreadableError if it is no message of the shape; the error's message names the field. */
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

/** What a worker must share with its daemon to be given work: the version and the bytes of every model. */
export function packSetOf(packs: readonly { key: string; sha256: string }[], version = VERSION): string {
  const lines = packs.map(({ key, sha256: digest }) => `${key} ${digest}`).sort();
  return createHash('sha256')
    .update([version, ...lines].join('\n'))
    .digest('hex')
    .slice(0, 32);
}
