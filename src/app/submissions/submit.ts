/** Submits media: judged, kept, recorded, charged and queued in one transaction, flushed, and only then answered. */
import { createHash } from 'node:crypto';
import { enabledOptions, priceOf } from '../../domain/accounts/price.ts';
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import { type Held, heldFor, includesRole } from '../../domain/desk.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { ADDRESS_CHARACTERS_MAX } from '../../domain/limits.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import type { ModelPack } from '../../domain/packs/model-pack.ts';
import type { OuterManifest } from '../../domain/provenance/outer-manifest.ts';
import type { Classification, WayIn } from '../../domain/records/classification.ts';
import { optionsKey } from '../../domain/records/options.ts';
import { resolveModels } from '../../engine/packs/resolve-models.ts';
import {
  assertDeliverable,
  fetchRule,
  nameOfAddress,
  pinAddress,
  webhookRule,
} from '../../machinery/address.ts';
import { epochMs, type SpanTimes } from '../../machinery/span-times.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { charge } from '../accounts/credits.ts';
import { admitMedia, assertKindEnabled, earlierRequest } from '../callers/admission.ts';
import type { Principal } from '../callers/principal.ts';
import { assertStands } from '../callers/standing.ts';
import { checkEach } from '../check-each.ts';
import { parseText, type RawFields } from '../field-parsers.ts';
import { readRecord } from '../records/record.ts';
import { checkMedia, findKind } from './check-media.ts';
import { parseSubmission, type Submission } from './input.ts';
import type { SubmissionParts } from './parts.ts';
import { parseSidecar } from './sidecar.ts';
import { cleanName, type ReceivedMedia } from './uploads.ts';

export interface SubmitInput {
  principal: Principal;
  facade: WayIn;
  /** Undefined if the content decides. */
  kind: MediaKind | undefined;
  /** The form field of the media, for errors. */
  field: string;
  media: ReceivedMedia | undefined;
  /** The bytes of a manifest beside the file; undefined or empty if none is sent. */
  manifest?: Uint8Array | undefined;
  fields: RawFields;
  /** In the transaction that makes or finds the record, for rows that must exist exactly if the record does. */
  onRecorded?: (tx: StoreTransaction, identifier: string) => void;
}

interface CheckedFields {
  submission: Submission;
  webhookUrl: string | null;
}

interface Candidate extends CheckedFields {
  manifest: OuterManifest | null;
  kind: MediaKind;
  packs: ModelPack[];
  name: string;
  hash: string;
  mime: string;
  sizeBytes: number;
  sourceUrl: string | null;
  times: SpanTimes;
  probe: SpanTimes | null;
}

/** Returns the record, `new` or, from the account's own cache, `done`. */
export async function submitMedia(
  app: SubmissionParts,
  input: SubmitInput,
  signal: AbortSignal,
): Promise<ClassificationRecord> {
  const { principal, kind, media } = input;
  try {
    await admitMedia(app, principal, { purpose: 'submit', kind, isReceived: true });
    const submitted =
      media === undefined
        ? await record(app, input, await candidateOfAddress(app, input, signal))
        : await submitUploaded(app, input, media, signal);
    await media?.noteEnd?.({ identifier: submitted.identifier });
    return submitted;
  } catch (error) {
    await media?.noteEnd?.({ error });
    throw error;
  }
}

async function submitUploaded(
  app: SubmissionParts,
  input: SubmitInput,
  media: ReceivedMedia,
  signal: AbortSignal,
): Promise<ClassificationRecord> {
  using _place = app.work.accept();
  const candidate = await candidateOfUpload(app, input, media, signal);
  return await app.store.blobs.withLock(media.hash, async () => {
    await app.store.blobs.keep(media);
    try {
      return await record(app, input, candidate);
    } finally {
      // A refused transaction (no credits, full queue) must not leave bytes that no record names.
      if (!app.store.read.hasBlobReference(media.hash)) await app.store.blobs.takeBack(media);
    }
  });
}

async function candidateOfUpload(
  app: SubmissionParts,
  { principal, kind: namedKind, field, manifest: beside, fields }: SubmitInput,
  media: ReceivedMedia,
  signal: AbortSignal,
): Promise<Candidate> {
  const startedAt = epochMs();
  const manifest = sidecarOf(beside);
  const kind = namedKind ?? (await findKind(app, { principal, media, field }, signal));
  const judged = await checkFields(app, { principal, kind, fields }, signal);
  const { probe, packs } = await checkMedia(
    app,
    { principal, kind, field, media, options: judged.submission.options },
    signal,
  );
  const { name, hash, sizeBytes } = media;
  const times = { startedAt, endedAt: epochMs() };
  const file = { name, hash, mime: probe.mime, sizeBytes, sourceUrl: null };
  return { kind, ...judged, manifest, packs, ...file, times, probe: times };
}

async function candidateOfAddress(
  app: SubmissionParts,
  { principal, kind = 'image', field, manifest: beside, fields }: SubmitInput,
  signal: AbortSignal,
): Promise<Candidate> {
  const startedAt = epochMs();
  const manifest = sidecarOf(beside);
  assertKindEnabled(principal, kind);
  const { judged, source } = await checkEach<{ judged: CheckedFields; source: Source }>({
    judged: () => checkFields(app, { principal, kind, fields }, signal),
    source: () => checkSource(app, { field, fields }, signal),
  });
  const packs = resolveModels(app.shelf.usable, kind, judged.submission.options, principal.plan);
  const times = { startedAt, endedAt: epochMs() };
  const file = { ...source, hash: '', mime: '', sizeBytes: 0 };
  return { kind, ...judged, manifest, packs, ...file, times, probe: null };
}

function sidecarOf(bytes: Uint8Array | undefined): OuterManifest | null {
  return bytes === undefined || bytes.length === 0 ? null : parseSidecar(bytes);
}

/** The address of media that are fetched later, and their name by it. */
type Source = Record<'sourceUrl' | 'name', string>;

async function checkSource(
  { config }: SubmissionParts,
  { field, fields }: Pick<SubmitInput, 'field' | 'fields'>,
  signal: AbortSignal,
): Promise<Source> {
  const sourceUrl = parseText(fields, 'file_url', ADDRESS_CHARACTERS_MAX);
  if (sourceUrl === undefined) throw badField(field, 'expected a file or an address, found nothing');
  const { url } = await pinAddress(fetchRule(config), sourceUrl, signal);
  return { sourceUrl, name: cleanName(nameOfAddress(url)) };
}

/** Options that need an enablement are ignored without it (docs/interface.md, Authentication). */
export async function checkFields(
  app: SubmissionParts,
  { principal, kind, fields }: { principal: Principal; kind: MediaKind; fields: RawFields },
  signal: AbortSignal,
): Promise<CheckedFields> {
  const { plan } = principal;
  const { submission, webhookUrl } = await checkEach<CheckedFields>({
    submission: () => parseSubmission(kind, fields),
    webhookUrl: () => (plan.options.includes('webhook') ? checkWebhook(app, fields, signal) : null),
  });
  findDesk(app.store.read, principal, submission.askedDeskId);
  return { submission: { ...submission, options: enabledOptions(plan, submission.options) }, webhookUrl };
}

/** Throws `bad_address` on webhook_url if it is no address or leads to a refused network. */
async function checkWebhook(
  { config }: SubmissionParts,
  fields: RawFields,
  signal: AbortSignal,
): Promise<string | null> {
  const webhookUrl = parseText(fields, 'webhook_url', ADDRESS_CHARACTERS_MAX);
  if (webhookUrl === undefined) return null;
  await assertDeliverable(webhookRule(config), webhookUrl, signal);
  return webhookUrl;
}

async function record(
  app: SubmissionParts,
  input: SubmitInput,
  candidate: Candidate,
): Promise<ClassificationRecord> {
  const { identifier, isNew, held } = await app.store.transact((tx) => {
    // The bytes may have taken hours.
    assertStands(app, tx, input.principal, { writes: true });
    const earlier = earlierAnswer(app, tx, input, candidate);
    const deskId = findDesk(tx, input.principal, candidate.submission.askedDeskId);
    const held = heldFor(input.principal.account.id, deskId);
    const recorded = earlier ?? insert(app, tx, { ...input, held }, candidate);
    input.onRecorded?.(tx, recorded);
    return { identifier: recorded, isNew: earlier === undefined, held };
  });
  if (isNew) {
    const { kind, sizeBytes, times, probe } = candidate;
    const whole = { startedAt: times.startedAt, endedAt: epochMs() };
    app.tracing?.submitted(identifier, whole, { kind, sizeBytes, facade: input.facade }, probe);
    app.feed.publishRecord(identifier, held);
    app.work.wake();
  }
  return readRecord(app, identifier);
}

function earlierAnswer(
  app: SubmissionParts,
  tx: StoreTransaction,
  { principal }: SubmitInput,
  candidate: Candidate,
): string | undefined {
  const { requestId } = candidate.submission;
  if (requestId === null) return undefined;
  const earlier = earlierRequest(app, tx, principal.account.id, requestId);
  if (earlier === undefined) return undefined;
  if (earlier.fingerprint !== fingerprintOf(candidate)) {
    throw new AppError('request_reused', 'the request identifier was used before with another content');
  }
  return tx.records.get(earlier.identifier) === undefined ? undefined : earlier.identifier;
}

function fingerprintOf(candidate: Candidate): string {
  const { kind, hash, sourceUrl, submission, webhookUrl, manifest } = candidate;
  const { options, refId, noCache, askedDeskId } = submission;
  // Without a manifest it equals the fingerprint of earlier versions.
  const beside = manifest === null ? [] : [manifest.hash];
  const desk = askedDeskId === null ? [] : [`desk:${askedDeskId}`];
  const submitted = [kind, hash, sourceUrl, optionsKey(kind, options), refId, webhookUrl, noCache];
  const content = [...submitted, ...beside, ...desk];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

function insert(
  app: SubmissionParts,
  tx: StoreTransaction,
  { principal, held }: SubmitInput & { held: Held },
  candidate: Candidate,
): string {
  const { kind, submission, webhookUrl, hash, sourceUrl, manifest, packs, name, mime, sizeBytes } = candidate;
  const { accountId } = held;
  const { analysis, origin } = app.work.join(tx, {
    kind,
    hash,
    sourceUrl,
    manifestHash: manifest?.hash,
    options: submission.options,
    models: packs,
    ...held,
    priority: submission.priority,
    noCache: submission.noCache,
  });
  if (manifest !== null) tx.outerManifests.put(analysis.id, manifest);
  const identifier = app.newIdentifier();
  const credits = origin === 'analysed' ? priceOf(principal.plan, { kind, webhookUrl, ...submission }) : 0;
  charge(tx, { accountId, credits, identifier, at: app.clock.now() });
  const classification: Classification = {
    identifier,
    ...held,
    kind,
    name,
    refId: submission.refId,
    hash,
    mime,
    sizeBytes,
    sourceUrl,
    ...(manifest === null ? {} : { manifestHash: manifest.hash }),
    options: submission.options,
    analysisId: analysis.id,
    origin,
    cancelled: false,
    credits,
    webhookUrl,
    submittedBy: {
      via: principal.facade,
      keyId: principal.key?.id ?? null,
      keyName: principal.key?.name ?? '',
    },
    remoteAddress: principal.remoteAddress,
    requestId: submission.requestId,
    createdAt: app.clock.now(),
  };
  tx.putClassification(classification);
  if (submission.requestId !== null) {
    const fingerprint = fingerprintOf(candidate);
    tx.putRequest(accountId, submission.requestId, { identifier, fingerprint, at: app.clock.now() });
  }
  return identifier;
}

/** The requested desk, else the first in which the sender may submit; undefined for none. */
export function findDesk(
  read: StoreReader,
  { account }: Principal,
  askedDeskId: number | null,
): number | undefined {
  if (askedDeskId === 0) return undefined;
  const members = read.desks.membershipsOf(account.id).filter(({ role }) => includesRole(role, 'submits'));
  const deskIds = members.map(({ deskId }) => deskId);
  if (askedDeskId === null) return deskIds[0];
  if (deskIds.includes(askedDeskId)) return askedDeskId;
  const desks = deskIds.length === 0 ? '' : `, or a desk in which you may submit (${deskIds.join(', ')})`;
  throw badField('desk_id', `expected 0 for no desk${desks}, found ${askedDeskId}`);
}
