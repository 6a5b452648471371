/** What every facade can be asked, in one vocabulary: contract rows are written against it and know no protocol. */
import type { Label, MediaKind } from '../../../src/domain/media/media.ts';
import type { WholeRecord } from '../media-record.ts';

/** The code and reason of domain/errors.ts; REST shows the status in place of the reason. */
export interface Fault {
  code: string;
  reason: string;
  /** The field at fault, empty if none is named. */
  field: string;
}

export type Result<T> = { value: T } | { fault: Fault };

export interface SharedUser {
  id: number;
  name: string;
  email: string;
  balance: number;
  heuristic: string;
  readonly: boolean;
  pricing: string;
  partnerId: number | null;
}

export interface SharedValidation {
  valid: boolean;
  filesize: number;
  mimetype: string;
  width: number | null;
  height: number | null;
  models: string[];
}

export interface SharedOverride {
  classification: string;
  type: string;
  hash: string;
}

export interface SubmitOptions {
  /** The name of the file; `file` by default. */
  name?: string;
  refId?: string;
  preventC2paForces?: boolean;
  withHeatmap?: boolean;
  withTampering?: boolean;
  withAudio?: boolean;
  frames?: number;
  noCache?: boolean;
}

export interface Caller extends Disposable {
  readonly name: 'REST' | 'GraphQL' | 'gRPC';
  submit(kind: MediaKind, bytes: Uint8Array, options?: SubmitOptions): Promise<Result<string>>;
  /** Submits and follows live status until the record has ended; polls only where the facade cannot push. */
  classify(kind: MediaKind, bytes: Uint8Array, options?: SubmitOptions): Promise<Result<WholeRecord>>;
  read(kind: MediaKind, identifier: string): Promise<Result<WholeRecord>>;
  /** Reads several records at once; gives the identifiers that came. */
  readMany(kind: MediaKind, identifiers: string[]): Promise<Result<string[]>>;
  list(kind: MediaKind): Promise<Result<string[]>>;
  validate(kind: MediaKind, bytes: Uint8Array, options?: SubmitOptions): Promise<Result<SharedValidation>>;
  override(kind: MediaKind, hash: string, label: Label | ''): Promise<Result<SharedOverride>>;
  credits(): Promise<Result<{ available: number; spent: number }>>;
  createUser(fields: { name?: string; email?: string }): Promise<Result<SharedUser>>;
  deleteUser(id: number): Promise<Result<SharedUser>>;
  sendCreationEmail(id: number): Promise<Result<SharedUser>>;
  listUsers(filter: string): Promise<Result<{ total: number; names: string[] }>>;
}

export interface SharedOverrideEntry {
  classification: string;
  measured: string;
  reason: string;
  byAccountId: number;
}

/** Operations that only the newer facades have. */
export interface FullCaller extends Caller {
  overrideBecause(
    kind: MediaKind,
    hash: string,
    label: Label,
    reason: string,
  ): Promise<Result<SharedOverride>>;
  removeOverride(kind: MediaKind, hash: string): Promise<Result<SharedOverride>>;
  overrideHistory(kind: MediaKind, hash: string): Promise<Result<SharedOverrideEntry[]>>;
  /** Oldest first. */
  ledger(): Promise<Result<{ reason: string; amount: number }[]>>;
}

export function granted<T>(result: Result<T>): T {
  if ('value' in result) return result.value;
  throw new Error(`refused: ${JSON.stringify(result.fault)}`);
}

export function mapValue<T, U>(result: Result<T>, to: (value: T) => U): Result<U> {
  return 'value' in result ? { value: to(result.value) } : result;
}

export function refused(result: Result<unknown>): Fault {
  if ('fault' in result) return result.fault;
  throw new Error(`not refused: ${JSON.stringify(result.value)}`);
}
