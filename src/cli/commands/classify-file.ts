/** Classifies one file by ClassifyMedia: uploads it, then follows the record until it has ended. */
import type { Readable } from 'node:stream';
import type { Classification } from '../../grpc/gen/assay/v1/classification_pb.ts';
import {
  ClassificationService,
  type ClassifyMediaRequestSchema,
  type ClassifyMediaResponseSchema,
} from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import type { AssayClient } from '../daemon/client.ts';
import type { AddressSource, FileSource, StdinSource } from '../daemon/media-files.ts';
import type { ResumableUpload, ResumePoint } from '../daemon/resume.ts';
import { type MediaHeaderInit, sendMedia } from '../daemon/upload.ts';
import { CliFailure, EXIT_CODES, toFailure } from '../terminal/failure.ts';
import type { FileBar } from '../views/progress-bars.ts';
import { describeTentative } from '../views/record-view.ts';

export interface ClassifyFileInput {
  source: FileSource | StdinSource | AddressSource;
  header: MediaHeaderInit;
  bar: FileBar;
  stdin: Readable;
  interrupted: AbortSignal;
  /** The upload of this file; every try uses the same one. */
  upload: ResumableUpload;
}

/** Thrown on Ctrl-C: `identifier` is set if the daemon had accepted the file already. */
export class Interrupted extends CliFailure {
  readonly identifier: string | null;

  constructor(identifier: string | null) {
    super(
      identifier === null ? 'upload cancelled' : `interrupted; analysis goes on as ${identifier}`,
      EXIT_CODES.someFailed,
    );
    this.identifier = identifier;
  }
}

type ClassifyCall = ReturnType<
  typeof AssayClient.prototype.openDuplex<
    typeof ClassifyMediaRequestSchema,
    typeof ClassifyMediaResponseSchema
  >
>;

/** The ended record. Throws a CliFailure. */
export function classifyFile(client: AssayClient, input: ClassifyFileInput): Promise<Classification> {
  return input.upload.run(input.interrupted, (point) =>
    point.identifier === '' ? sendFile(client, input, point) : watchRecord(client, input, point.identifier),
  );
}

async function sendFile(
  client: AssayClient,
  input: ClassifyFileInput,
  point: ResumePoint,
): Promise<Classification> {
  const call = client.openDuplex(ClassificationService.method.classifyMedia);
  const callEnded = new AbortController();
  const cancel = () => call.cancel();
  input.interrupted.addEventListener('abort', cancel, { once: true });
  const following = followRecord(call, input.bar).finally(() => callEnded.abort());
  const sent = await sendUp(call, input, point, callEnded.signal);
  const { latest, error } = await following;
  input.interrupted.removeEventListener('abort', cancel);
  if (error === null && latest !== null) return latest;
  if (input.interrupted.aborted) throw new Interrupted(latest?.identifier ?? null);
  // The sender cancelled the call because the file could not be read: report the file, not the cancelled call.
  if (sent.fileFault !== null) throw toFailure(sent.fileFault, client.address);
  throw toCallFailure(client, latest, error);
}

/** Follows a file that was accepted before the connection broke. */
async function watchRecord(
  client: AssayClient,
  { bar, interrupted }: ClassifyFileInput,
  identifier: string,
): Promise<Classification> {
  let latest: Classification | null = null;
  const request = { identifier };
  for await (const { classification } of client.receive(
    ClassificationService.method.watchClassification,
    request,
    interrupted,
  )) {
    if (classification === undefined) continue;
    latest = classification;
    showRecord(bar, classification);
  }
  if (interrupted.aborted) throw new Interrupted(identifier);
  if (latest !== null) return latest;
  throw new CliFailure('the daemon sent no record', EXIT_CODES.someFailed);
}

async function followRecord(
  call: ClassifyCall,
  bar: FileBar,
): Promise<{ latest: Classification | null; error: unknown }> {
  let latest: Classification | null = null;
  try {
    for await (const { update } of call) {
      if (update.case !== 'classification') continue;
      const record = update.value;
      latest = record;
      showRecord(bar, record);
    }
    return { latest, error: null };
  } catch (error) {
    return { latest, error };
  }
}

/** Never throws: the call's answer explains a failed write better than the write does. */
async function sendUp(
  call: ClassifyCall,
  { source, header, bar, stdin }: ClassifyFileInput,
  resume: ResumePoint,
  callEnded: AbortSignal,
): Promise<{ fileFault: unknown }> {
  const sizeBytes = source.type === 'file' ? source.sizeBytes : 0;
  const onSent = (sentBytes: number) => bar.showUpload(sentBytes, sizeBytes);
  try {
    await sendMedia(source, header, { call, onSent }, { stdin, resume, signal: callEnded });
    return { fileFault: null };
  } catch (error) {
    // The daemon drops an upload that is not committed.
    call.cancel();
    return { fileFault: isFileFault(error) ? error : null };
  }
}

const isFileFault = (error: unknown): boolean => error instanceof Error && 'syscall' in error;

function toCallFailure(client: AssayClient, latest: Classification | null, error: unknown): CliFailure {
  if (error === null) return new CliFailure('the daemon sent no record', EXIT_CODES.someFailed);
  const failure = toFailure(error, client.address);
  if (latest === null || failure.exitCode !== EXIT_CODES.unreachable) return failure;
  const message = `the connection was lost; see later: assay get ${latest.identifier}`;
  return new CliFailure(message, EXIT_CODES.unreachable, { cause: failure });
}

function showRecord(bar: FileBar, record: Classification): void {
  const { progress } = record;
  if (progress === undefined) bar.showStep('queued', 0, 1);
  else {
    const step = [progress.step, describeTentative(record)].filter(Boolean).join(', ');
    bar.showStep(step, progress.done, progress.total);
  }
}
