/**
 * A decode child's results for a file: figures in its answer, pictures and sound in `out/` of its slot's folder
 * (decode-protocol.ts).
 */
import type { MediaKind } from '../../domain/media/media.ts';
import type { PatchPosition } from '../../domain/media/patches.ts';
import type { PerceptualHash } from '../../domain/media/perceptual-hash.ts';
import type { RepeatedShift } from '../../domain/media/repeated-parts.ts';
import type { Texture } from '../../domain/media/resized-view.ts';
import type { Provenance } from '../../domain/provenance/provenance.ts';
import type { MarkSearch } from '../../domain/verdicts/marks.ts';
import type { ImageQuality } from '../../domain/verdicts/result.ts';

export interface Probe {
  kind: MediaKind;
  mime: string;
  /** In pixels, after orientation; null for audio. */
  width: number | null;
  height: number | null;
  pages: number;
  durationSeconds: number | null;
  /** Whether a video has a track, so that it can be judged as a recording too. */
  hasSound: boolean;
}

export interface ReadMarks {
  kind: MediaKind;
  mime: string;
  provenance: Provenance;
  marks: MarkSearch;
}

/** Patches in one file: `positions.length` × size × size × RGB bytes, row by row, no header. */
export interface PatchSet {
  name: string;
  /** File in `out/`. */
  file: string;
  size: number;
  positions: PatchPosition[];
  /** Sides of the picture that the positions refer to (smaller for a scaled copy). */
  width: number;
  height: number;
  /** Only for requested sets of scaled views: some models must not answer on some textures. */
  texture?: Texture | undefined;
  /** If requested: the sharpest shifts between similar parts. */
  repeats?: RepeatedShift[] | undefined;
}

/** A picture's data for the models. */
export interface PatchedPicture {
  width: number;
  height: number;
  /** A set is left out if its picture is smaller than a patch. */
  patchSets: PatchSet[];
}

/** A frame of an animation behind its first. The files of its patches: `page-<number>-<name>.rgb`. */
export interface AnimationFrame extends PatchedPicture {
  /** From 1. */
  number: number;
  /** A PNG in `out/`. */
  file: string;
}

export interface DecodedImage extends PatchedPicture {
  mime: string;
  pages: number;
  quality: ImageQuality;
  provenance: Provenance;
  marks: MarkSearch;
  /** Null if the picture is too small for one. */
  likeness: PerceptualHash | null;
  /** Spread over an animation, ascending; undecodable ones are left out. */
  frames: AnimationFrame[];
}

export interface SampledFrame {
  timeSeconds: number;
  /** Patches of the scaled frame. */
  set: PatchSet;
}

export interface SampledFrames {
  /** The moments of the plain choice, ascending. */
  regularSeconds: number[];
  samples: SampledFrame[];
}

export const VIDEO_DECODERS = ['cpu', 'nvdec'] as const;
export type VideoDecoder = (typeof VIDEO_DECODERS)[number];

/** One chosen frame: oriented as it is shown, in SDR, square pixels. The files of its patches: `<index>-<name>.rgb`. */
export interface DecodedFrame extends PatchedPicture {
  /** The number of its moving picture, from 1; absent for the one that players show first. */
  picture?: number | undefined;
  /** Presentation time from the video's beginning. */
  timeSeconds: number;
  /** A PNG in `out/`, with its SHA-256. */
  file: string;
  hash: string;
  sizeBytes: number;
  likeness: PerceptualHash | null;
}

/** Samples as 32-bit floats, one channel, little-endian, no header, 16 kHz. */
export interface SoundFile {
  /** `mix`, or `channel-1` … if the channels have different speakers, `track-1` … if there are several (channel-name.ts). */
  name: string;
  file: string;
  sampleCount: number;
  /** Mean power in decibels of full scale; null for silence. */
  meanDb: number | null;
  /** Power of a tone above a telephone's band against one inside it, in decibels; null for silence. */
  upperBandDb: number | null;
}

export interface DecodedSound {
  durationSeconds: number;
  /** Sample rate of the original, Hz. */
  sampleRate: number;
  channelCount: number;
  /** The track that players play first, then the others. */
  sounds: SoundFile[];
  /** Further tracks that could not be decoded, or lie beyond the bounds. */
  tracksLeftOut: number;
}

export interface DecodedTrack {
  /** The track as FLAC in `out/`, with its SHA-256. */
  file: string;
  hash: string;
  sizeBytes: number;
  sound: DecodedSound;
}

export interface DecodedVideo {
  mime: string;
  /** In pixels, as it is shown. */
  width: number;
  height: number;
  durationSeconds: number;
  provenance: Provenance;
  marks: MarkSearch;
  /** The decoder of the frames. */
  decoder: VideoDecoder;
  /** Chosen frames that could not be decoded. */
  damagedFrames: number;
  /** Further moving pictures without a chosen frame. */
  picturesLeftOut: number;
  /** Null if none was asked for or the video is silent. */
  track: DecodedTrack | null;
}

export interface DecodedAudio {
  mime: string;
  provenance: Provenance;
  marks: MarkSearch;
  sound: DecodedSound;
  /** Whether the file's data ended early or was damaged in part. */
  damaged: boolean;
}

export interface RenderedHeatmap {
  width: number;
  height: number;
}
