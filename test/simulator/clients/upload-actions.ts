/** Uploads by pieces under few names, so that one is often begun anew while the former of its name is sent or submitted. */
import { createHash } from 'node:crypto';
import { submitUpload } from '../../../src/app/submissions/submit-upload.ts';
import { appendUpload, beginUpload } from '../../../src/app/submissions/unfinished-uploads.ts';
import type { ActionParts } from './action.ts';
import { CONTENTS, contentOf } from './actions.ts';

const NAMES = ['upload-of-the-desk-1', 'upload-of-the-desk-2'];
const NEVER = new AbortController().signal;
const SUBMITTED_SHARE = 0.8;
const HASHES = new Set(
  Array.from({ length: CONTENTS }, (_, content) =>
    createHash('sha256').update(contentOf(content)).digest('hex'),
  ),
);

export async function uploadByPieces({ life, book, random, isAlive, accountId }: ActionParts): Promise<void> {
  const { app } = life;
  const principal = life.principalOf(accountId);
  const file = contentOf(random.whole(0, CONTENTS - 1));
  const upload = { principal, uploadId: random.pick(NAMES), field: 'file' };
  const isSubmitted = random.chance(SUBMITTED_SHARE);
  const half = random.whole(1, file.length - 1);
  await beginUpload(app, { ...upload, name: 'a.png', sizeBytes: file.length, fields: { kind: 'image' } });
  await appendUpload(app, { ...upload, bytes: pieces(file.subarray(0, half), file.subarray(half)) }, NEVER);
  if (!isSubmitted) return;
  const identifier = await submitUpload(app, upload);
  if (!isAlive()) return;
  const { hash = null } = app.store.read.records.get(identifier) ?? {};
  if (hash !== null && !HASHES.has(hash))
    throw new Error(`an upload is stored as it was sent: found ${hash}`);
  const flags = { mayBeCancelled: false, mayBeDeleted: false, isDeleted: false };
  book.accept({ identifier, accountId, webhookUrl: null, requestId: null, ...flags });
}

async function* pieces(...parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}
