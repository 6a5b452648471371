/** How a command fails: one sentence for a person, one exit code for a script. */
import { fromBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { status } from '@grpc/grpc-js';
import { codeOf } from '../../domain/error-code.ts';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from '../../grpc/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../grpc/gen/google/rpc/status_pb.ts';

export const EXIT_CODES = {
  done: 0,
  someFailed: 1,
  usage: 2,
  unreachable: 3,
  keyRefused: 4,
  interrupted: 130,
} as const;

export const EXIT_CODES_HELP = `
Exit codes:
  0    all done
  1    some file failed, was refused or ended errored
  2    wrong usage
  3    the daemon cannot be reached
  4    the API key was refused
  130  interrupted`;

export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly exitCode: number;
  /** Seconds after which the same call may succeed, if the daemon said so. */
  readonly retryAfterSeconds: number | null;

  constructor(
    message: string,
    exitCode: number,
    options: { retryAfterSeconds?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.exitCode = exitCode;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }

  /** Whether going on with other files is pointless. */
  get isFatal(): boolean {
    return this.exitCode !== EXIT_CODES.someFailed;
  }
}

export function throwIfInterrupted(signal: AbortSignal, cause?: unknown): void {
  if (signal.aborted) throw new CliFailure('interrupted', EXIT_CODES.interrupted, { cause });
}

/** Turns an error of work on files into a command's failure: interrupted, or with the sentence of the error. */
export function toFileFailure(error: unknown, signal: AbortSignal): unknown {
  throwIfInterrupted(signal, error);
  return error instanceof Error
    ? new CliFailure(error.message, EXIT_CODES.someFailed, { cause: error })
    : error;
}

/** The part of a grpc-js error that is used here. */
interface CallError {
  code: number;
  details: string;
  metadata?: { get(key: string): (string | Buffer)[] };
}

function isCallError(error: unknown): error is Error & CallError {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'details' in error;
}

/** Reasons that pass by themselves: repeating the call is worthwhile. */
const PASSING_REASONS: readonly string[] = [
  'rate',
  'queue_full',
  'uploads_full',
  'probe_busy',
  'exhausted',
  'starting',
];
const RETRY_SECONDS_DEFAULT = 1;

/** Turns whatever a call threw into a sentence with a hint. `address` is where the daemon was looked for. */
export function toFailure(error: unknown, address: string): CliFailure {
  if (error instanceof CliFailure) return error;
  if (!isCallError(error)) return toLocalFailure(error);
  const { reason, retryAfterSeconds, violations } = decodeErrorReason(error.metadata);
  if (error.code === status.UNAVAILABLE && reason === null) {
    // Starting the daemon repairs neither an unknown name nor a rejected certificate.
    const found = error.details.includes('ECONNREFUSED') ? '' : ` (${error.details})`;
    const how = 'start it with npm start (the service: systemctl start assay), or set ASSAY_ADDRESS';
    const message = `no daemon answers at ${address}${found}: ${how}`;
    return new CliFailure(message, EXIT_CODES.unreachable, { cause: error });
  }
  if (error.code === status.UNAUTHENTICATED) {
    const message = `${sentence(error)}: set ASSAY_API_KEY, or run where the daemon's admin.key can be read (ASSAY_DATA_DIR)`;
    return new CliFailure(message, EXIT_CODES.keyRefused, { cause: error });
  }
  if (error.code === status.CANCELLED)
    return new CliFailure('cancelled', EXIT_CODES.someFailed, { cause: error });
  const passes = reason !== null && PASSING_REASONS.includes(reason);
  const retryIn = passes ? (retryAfterSeconds ?? RETRY_SECONDS_DEFAULT) : null;
  // Several faults are printed one a line.
  const message = violations.length > 1 ? violations.join('\n') : sentence(error);
  return new CliFailure(message, EXIT_CODES.someFailed, { retryAfterSeconds: retryIn, cause: error });
}

/** Codes of grpc-js for a call whose connection ended; the daemon's own codes come with a reason. */
const CONNECTION_CODES: readonly number[] = [status.UNAVAILABLE, status.INTERNAL, status.CANCELLED];

/** Whether the connection or the daemon went away, not a refusal by the daemon. */
export function isBrokenConnection(error: unknown): boolean {
  const cause = causeOf(error);
  if (cause === undefined || !CONNECTION_CODES.includes(cause.code)) return false;
  const { reason } = decodeErrorReason(cause.metadata);
  return reason === null || reason === 'draining' || reason === 'cancelled';
}

export function isUnknownUpload(error: unknown): boolean {
  const cause = causeOf(error);
  return cause?.code === status.NOT_FOUND && decodeErrorReason(cause.metadata).reason === 'upload';
}

/** The call's own error below a failure, however deeply it is wrapped. */
function causeOf(error: unknown): CallError | undefined {
  if (isCallError(error)) return error;
  return error instanceof CliFailure ? causeOf(error.cause) : undefined;
}

function sentence(error: CallError): string {
  return error.details === '' ? `the daemon answered with code ${error.code}` : error.details;
}

const FILE_FAULTS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    ENOENT: 'no such file',
    EACCES: 'not readable for you',
    EISDIR: 'a folder, not a file',
  }),
);

/** A file that cannot be read fails by itself; anything else is a fault of this program and keeps its stack. */
function toLocalFailure(error: unknown): CliFailure {
  if (error instanceof Error && 'syscall' in error && 'code' in error) {
    const found = FILE_FAULTS.get(codeOf(error)) ?? error.message;
    return new CliFailure(found, EXIT_CODES.someFailed, { cause: error });
  }
  throw error;
}

const STATUS_KEY = 'grpc-status-details-bin';

interface ErrorReason {
  /** A reason of domain/errors.ts in lower case, or null if the daemon itself did not answer. */
  reason: string | null;
  retryAfterSeconds: number | null;
  /** One sentence for each field at fault. */
  violations: string[];
}

/** Reads the machine's part of an error: google.rpc.Status in the trailing metadata. */
function decodeErrorReason(metadata: { get(key: string): (string | Buffer)[] } | undefined): ErrorReason {
  const found: ErrorReason = { reason: null, retryAfterSeconds: null, violations: [] };
  const [bytes] = metadata?.get(STATUS_KEY) ?? [];
  if (!(bytes instanceof Uint8Array)) return found;
  for (const detail of fromBinary(StatusSchema, bytes).details) {
    const info = anyUnpack(detail, ErrorInfoSchema);
    if (info !== undefined) found.reason = info.reason.toLowerCase();
    for (const { field, description } of anyUnpack(detail, BadRequestSchema)?.fieldViolations ?? []) {
      found.violations.push(`${field}: ${description}`);
    }
    const delay = anyUnpack(detail, RetryInfoSchema)?.retryDelay;
    if (delay !== undefined) found.retryAfterSeconds = Number(delay.seconds) + delay.nanos / 1e9;
  }
  return found;
}
