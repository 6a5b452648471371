/** Sends one file to a call that answers once and keeps nothing, and goes on where the connection broke off. */
import type { DescMessage, DescMethodClientStreaming, MessageShape } from '@bufbuild/protobuf';
import { toFailure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { AssayClient } from './client.ts';
import type { FileSource, MediaSource, StdinSource } from './media-files.ts';
import { ResumableUpload, type ResumePoint } from './resume.ts';
import { type MediaHeaderInit, sendMedia } from './upload.ts';

export interface SentFile<O extends DescMessage> {
  method: DescMethodClientStreaming<DescMessage, O>;
  header: MediaHeaderInit;
}

/** Throws faults of the file or the call as failures. */
export async function sendFile<O extends DescMessage>(
  terminal: Terminal,
  client: AssayClient,
  source: MediaSource,
  sent: SentFile<O>,
): Promise<MessageShape<O>> {
  if (source.type === 'missing') throw source.failure;
  // Ctrl-C ends the command itself: a call that keeps nothing has nothing to report.
  const never = new AbortController().signal;
  return await new ResumableUpload(client, source).run(never, (point) =>
    sendOnce(terminal, client, source, sent, point),
  );
}

async function sendOnce<O extends DescMessage>(
  terminal: Terminal,
  client: AssayClient,
  source: FileSource | StdinSource,
  { method, header }: SentFile<O>,
  resume: ResumePoint,
): Promise<MessageShape<O>> {
  const { call, answer } = client.openUpload(method);
  const callEnded = new AbortController();
  const target = { call, onSent: () => {} };
  const options = { stdin: terminal.stdin, resume, signal: callEnded.signal };
  let fileFault: unknown = null;
  const sending = sendMedia(source, header, target, options).catch((error: unknown) => {
    if (!callEnded.signal.aborted) fileFault = error;
    call.cancel();
  });
  const settled = await Promise.allSettled([answer.finally(() => callEnded.abort()), sending]);
  const [answered] = settled;
  if (answered.status === 'fulfilled') return answered.value;
  if (fileFault instanceof Error && 'syscall' in fileFault) throw toFailure(fileFault, client.address);
  throw answered.reason;
}
