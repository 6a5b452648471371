/** The command line's words for what a submission may ask, in one place for all commands that submit. */
import { InvalidArgumentError, Option } from 'commander';
import { MEDIA_KINDS, type MediaKind } from '../domain/media/media.ts';
import {
  FRAME_COUNTS,
  type FrameCount,
  KEY_FRAME_METHODS,
  type KeyFrameMethod,
} from '../domain/records/options.ts';
import {
  Priority,
  MediaKind as ProtoKind,
  KeyFrameMethod as ProtoMethod,
} from '../grpc/gen/assay/v1/media_pb.ts';
import type { MediaHeaderInit } from './upload.ts';

/** Far above it a client only waits for its own uploads. */
const JOBS_MAX = 64;

export interface SubmitOptions {
  kind?: MediaKind;
  refId?: string;
  cache: boolean;
  batch?: true;
  withHeatmap?: true;
  withMorphing?: true;
  withTampering?: true;
  withNsfw?: true;
  withAudio?: true;
  preventC2paForces?: true;
  frames?: FrameCount;
  keyFrames?: true;
  keyFramesMethod?: KeyFrameMethod;
  ensureFacePerFrame?: true;
}

const KIND_VALUES = { image: ProtoKind.IMAGE, video: ProtoKind.VIDEO, audio: ProtoKind.AUDIO } as const;

const METHOD_VALUES: Readonly<Record<KeyFrameMethod, ProtoMethod>> = {
  iframes: ProtoMethod.IFRAMES,
  flow: ProtoMethod.FLOW,
  color: ProtoMethod.COLOR,
};

/** Which frames of a video are analysed. */
export function frameOptions(): Option[] {
  return [
    new Option('--frames <n>', `frames of a video to analyse: ${FRAME_COUNTS.join(', ')}`).argParser(
      parseFrames,
    ),
    new Option('--key-frames', 'choose key frames of a video instead of evenly spaced ones'),
    new Option('--key-frames-method <method>', 'how they are found (implies --key-frames)').choices(
      KEY_FRAME_METHODS,
    ),
    new Option('--ensure-face-per-frame', 'prefer frames that show a face'),
  ];
}

function parseFrames(value: string): FrameCount {
  const count = FRAME_COUNTS.find((allowed) => String(allowed) === value);
  if (count === undefined) throw new InvalidArgumentError(`It must be one of ${FRAME_COUNTS.join(', ')}.`);
  return count;
}

export function toProtoKind(kind: MediaKind | undefined): ProtoKind {
  return kind === undefined ? ProtoKind.UNSPECIFIED : KIND_VALUES[kind];
}

export function kindOption(description: string): Option {
  return new Option('--kind <kind>', description).choices(MEDIA_KINDS);
}

export function jobsOption(): Option {
  return new Option('--jobs <n>', `files at once, 1 to ${JOBS_MAX}`)
    .default(4)
    .argParser((value) => parseCount(value, JOBS_MAX));
}

/** A whole number from 1 to `maximum`, or a usage error. */
export function parseCount(value: string, maximum: number): number {
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1 || count > maximum) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${maximum}.`);
  }
  return count;
}

/** The header that all files of one command share; each file adds its name and size. */
export function toHeader(options: SubmitOptions): MediaHeaderInit {
  return {
    kind: toProtoKind(options.kind),
    refId: options.refId ?? '',
    noCache: !options.cache,
    priority: options.batch === true ? Priority.BATCH : Priority.INTERACTIVE,
    options: {
      withHeatmap: options.withHeatmap ?? false,
      withMorphing: options.withMorphing ?? false,
      withTampering: options.withTampering ?? false,
      withNsfw: options.withNsfw ?? false,
      withAudio: options.withAudio ?? false,
      preventC2paForces: options.preventC2paForces ?? false,
      frames: options.frames ?? 0,
      keyFrames: options.keyFrames ?? options.keyFramesMethod !== undefined,
      keyFramesMethod: METHOD_VALUES[options.keyFramesMethod ?? 'iframes'],
      ensureFacePerFrame: options.ensureFacePerFrame ?? false,
    },
  };
}
