/** What a submission and a validation check alike: kind and type by content, size, pixels, models. */
import { AppError } from '../domain/errors.ts';
import { describeAcceptedTypes, type MediaKind, sniffMediaType } from '../domain/media.ts';
import type { ModelPack } from '../domain/model-pack.ts';
import type { AnalysisOptions } from '../domain/options.ts';
import type { Probe } from '../worker/protocol.ts';
import type { App } from './app.ts';
import type { Principal } from './principal.ts';
import { type ReceivedMedia, tooLarge } from './uploads.ts';

export interface JudgeInput {
  principal: Principal;
  kind: MediaKind;
  field: string;
  media: ReceivedMedia;
  options: AnalysisOptions;
}

export interface JudgedMedia {
  probe: Probe;
  packs: ModelPack[];
}

export function assertKindEnabled({ plan }: Principal, kind: MediaKind): void {
  if (plan.kinds.includes(kind)) return;
  throw new AppError('not_enabled', `the pricing plan does not enable ${kind} classification`);
}

/** Throws the documented error for each fault, cheapest check first. */
export async function judgeMedia(app: App, input: JudgeInput, signal: AbortSignal): Promise<JudgedMedia> {
  const { principal, kind, field, media, options } = input;
  assertKindEnabled(principal, kind);
  const bytesMax = principal.plan.fileBytesMax[kind];
  if (media.sizeBytes > bytesMax) throw tooLarge(field, media.sizeBytes, bytesMax);
  const packs = app.engine.resolveModels(kind, options, principal.plan);
  const probe = await probeMedia(app, media, field, signal);
  if (probe.kind !== kind) throw wrongKind(field, kind, probe.mime);
  for (const pack of packs) assertSide(field, pack, probe);
  return { probe, packs };
}

async function probeMedia(
  app: App,
  media: ReceivedMedia,
  field: string,
  signal: AbortSignal,
): Promise<Probe> {
  try {
    return await app.engine.probe(media.path, signal);
  } catch (error) {
    if (!(error instanceof AppError) || error.fields.length > 0) throw error;
    throw new AppError(error.reason, error.message, {
      fields: [{ field, description: error.message }],
      metadata: error.metadata,
      ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
      cause: error,
    });
  }
}

function wrongKind(field: string, kind: MediaKind, found: string): AppError {
  const description = `expected ${describeAcceptedTypes(kind)}, found ${found}`;
  return new AppError('unsupported_media_type', description, { fields: [{ field, description }] });
}

function assertSide(field: string, pack: ModelPack, probe: Probe): void {
  if (probe.width === null || probe.height === null) return;
  const side = Math.min(probe.width, probe.height);
  if (side >= pack.minimumShortSide) return;
  const description = `the model ${pack.id} needs a short side of at least ${pack.minimumShortSide} pixels, found ${side}`;
  throw new AppError('below_minimum', description, {
    fields: [{ field, description }],
    metadata: { model: pack.id, required_pixels: String(pack.minimumShortSide), actual_pixels: String(side) },
  });
}

/** The kind that the content shows, for facades whose caller need not name it. */
export function kindOfContent(media: ReceivedMedia): MediaKind | undefined {
  return sniffMediaType(media.head)?.kind;
}
