/** The quality tiers in which media are measured: what the web and the telephone do to them. */
import sharp from 'sharp';
import type { LabelledFile } from './labelled-folder.ts';
import { toMp3, toTelephone } from './sound-tiers.ts';
import { recompress } from './video-tiers.ts';
import { toVoiceCodec, VOICE_CODECS } from './voice-codecs.ts';

export const EVALUATED_KINDS = ['image', 'audio', 'video'] as const;
export type EvaluatedKind = (typeof EVALUATED_KINDS)[number];

interface PictureTier {
  name: string;
  longSideMax: number;
  jpegQuality: number;
}

const PICTURE_TIERS: readonly PictureTier[] = [
  { name: 'web', longSideMax: 768, jpegQuality: 60 },
  { name: 'hard', longSideMax: 512, jpegQuality: 40 },
];

/** How the copy of each tier of sound is made, of the first seconds alone where they are named. */
const SOUND_TIERS: Readonly<Record<string, (path: string, secondsMax?: number) => Buffer>> = {
  'mp3-64': toMp3,
  telephone: toTelephone,
};

export function makeSoundCopy(tier: string, path: string, secondsMax?: number): Buffer {
  const chains = VOICE_CODECS[tier];
  if (chains !== undefined) return toVoiceCodec(chains, path, secondsMax);
  const make = SOUND_TIERS[tier];
  if (make === undefined) throw new Error(`no tier ${tier} for audio`);
  return make(path, secondsMax);
}

const RECOMPRESSED = 'recompressed';

export const CLEAN = 'clean';

const OTHER_TIERS: Readonly<Record<EvaluatedKind, readonly string[]>> = {
  image: PICTURE_TIERS.map(({ name }) => name),
  audio: Object.keys(SOUND_TIERS),
  video: [RECOMPRESSED],
};

export function tierNames(
  kind: EvaluatedKind,
  { tiers, codecs }: { tiers: boolean; codecs: boolean },
): string[] {
  return [CLEAN, ...(tiers ? OTHER_TIERS[kind] : []), ...(codecs ? Object.keys(VOICE_CODECS) : [])];
}

export interface TierCopy {
  bytes: Buffer;
  /** Whether it was scaled less than the tier says, so that the models have enough pixels. */
  held: boolean;
}

export interface CopyRule {
  kind: EvaluatedKind;
  tier: string;
  /** Pixels that the models need on the short side. */
  shortSideMin: number;
}

/** The file as it would arrive in a tier other than clean. */
export async function makeCopy(path: string, file: LabelledFile, rule: CopyRule): Promise<TierCopy> {
  const picture = PICTURE_TIERS.find(({ name }) => name === rule.tier);
  if (rule.kind === 'image' && picture !== undefined) {
    return await makePictureCopy(path, file, picture, rule.shortSideMin);
  }
  if (rule.kind === 'audio') return { bytes: makeSoundCopy(rule.tier, path), held: false };
  if (rule.kind === 'video' && rule.tier === RECOMPRESSED) {
    return { bytes: await recompress(path), held: false };
  }
  throw new Error(`no tier ${rule.tier} for ${rule.kind}`);
}

/** A crop is scaled by the factor for its whole picture. */
async function makePictureCopy(
  path: string,
  { originalLongSide }: LabelledFile,
  { longSideMax, jpegQuality }: PictureTier,
  shortSideMin: number,
): Promise<TierCopy> {
  const { data, info } = await sharp(path).rotate().removeAlpha().toColourspace('srgb').raw().toBuffer({
    resolveWithObject: true,
  });
  const { width, height } = info;
  const wanted = Math.min(1, longSideMax / (originalLongSide ?? Math.max(width, height)));
  const scale = Math.max(wanted, Math.min(1, shortSideMin / Math.min(width, height)));
  const picture = sharp(data, { raw: info }).resize(Math.round(width * scale), Math.round(height * scale), {
    kernel: 'lanczos3',
    fit: 'fill',
  });
  const bytes = await picture.jpeg({ quality: jpegQuality, chromaSubsampling: '4:2:0' }).toBuffer();
  return { bytes, held: scale > wanted };
}
