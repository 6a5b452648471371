/** Decides whether a probed file may be analysed: its kind and type, its sides, its length. Pure. */
import { AppError } from '../../domain/errors.ts';
import { SOUND_SECONDS_MAX } from '../../domain/limits.ts';
import { formatOf, MEDIA_TYPES } from '../../domain/media/formats.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { isImagePack, isTamperingPack, type ModelPack } from '../../domain/packs/model-pack.ts';
import type { Probe } from '../../worker/protocol/decoded-media.ts';

export interface ProbeRule {
  kind: MediaKind;
  packs: readonly ModelPack[];
  /** Whether the plan takes types beyond the documented ones. */
  allowsForeignTypes: boolean;
  /** The plan's minimum, or the box's if it is larger; 0: none. */
  videoHeightMin: number;
}

/** Throws the documented error for each fault. */
export function checkProbe(probe: Probe, rule: ProbeRule): void {
  const { kind, packs, videoHeightMin } = rule;
  const isTrack = kind === 'audio' && isJudgedByTrack(probe);
  if (probe.kind !== kind && !isTrack) throw wrongKind(rule, probe);
  if (!isTrack) assertType(probe, rule);
  if (kind === 'video') assertHeight(probe, videoHeightMin);
  for (const pack of packs) if (isImagePack(pack) || isTamperingPack(pack)) assertSide(pack, probe);
  if (kind === 'audio') assertDuration(probe);
}

function isJudgedByTrack({ kind, mime, hasSound }: Probe): boolean {
  return kind === 'video' && hasSound && formatOf(mime)?.isRecording === true;
}

function wrongKind({ kind, allowsForeignTypes }: ProbeRule, probe: Probe): AppError {
  const article = kind === 'video' ? 'a' : 'an';
  const found = `found ${FOUND[probe.kind]} (${probe.mime})`;
  const sentence = `not ${article} ${kind} file: ${found}, expected ${namesOf(kind, allowsForeignTypes)}`;
  return new AppError('unsupported_media_type', sentence);
}

/** One container may be of either kind, by its contents. */
const FOUND: Readonly<Record<MediaKind, string>> = {
  image: 'a picture',
  video: 'a moving picture',
  audio: 'sound only',
};

function assertType({ kind, mime }: Probe, { allowsForeignTypes }: ProbeRule): void {
  const type = MEDIA_TYPES.find((known) => known.mime === mime && known.kind === kind);
  if (type === undefined || type.documented || allowsForeignTypes) return;
  const found = `found ${type.name}, which the pricing plan does not take`;
  throw new AppError('unsupported_media_type', `${found}; expected ${namesOf(kind, false)}`);
}

function namesOf(kind: MediaKind, withForeign: boolean): string {
  const types = MEDIA_TYPES.filter((type) => type.kind === kind && (type.documented || withForeign));
  return [...new Set(types.map(({ name }) => name))].join(', ');
}

function assertHeight({ height }: Probe, heightMin: number): void {
  if (height === null || height >= heightMin) return;
  throw new AppError(
    'below_minimum',
    `the video needs a height of at least ${heightMin} pixels, found ${height}`,
    {
      metadata: { required_pixels: String(heightMin), actual_pixels: String(height) },
    },
  );
}

function assertSide(
  { id, minimumShortSide }: { id: string; minimumShortSide: number },
  { width, height }: Probe,
): void {
  if (width === null || height === null) return;
  const side = Math.min(width, height);
  if (side >= minimumShortSide) return;
  const sentence = `the model ${id} needs a short side of at least ${minimumShortSide} pixels, found ${side}`;
  throw new AppError('below_minimum', sentence, {
    metadata: { model: id, required_pixels: String(minimumShortSide), actual_pixels: String(side) },
  });
}

function assertDuration({ durationSeconds }: Probe): void {
  if (durationSeconds === null || durationSeconds <= SOUND_SECONDS_MAX) return;
  const found = Math.round(durationSeconds);
  throw new AppError(
    'too_long',
    `the recording lasts ${found} seconds; at most ${SOUND_SECONDS_MAX} are accepted`,
    { metadata: { maximum_seconds: String(SOUND_SECONDS_MAX), actual_seconds: String(found) } },
  );
}
