/** Options of a submission, shared by all commands that submit. */
import { InvalidArgumentError, Option } from 'commander';
import { rowsOf, toSnakeCase } from '../../domain/field.ts';
import { MEDIA_KINDS, type MediaKind } from '../../domain/media/media.ts';
import { ANALYSIS_OPTIONS } from '../../domain/records/analysis-options.ts';
import type { AnalysisOptions } from '../../domain/records/options.ts';
import { MediaHeaderSchema, MediaKind as ProtoKind } from '../../grpc/gen/assay/v1/media_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import type { MediaHeaderInit } from './upload.ts';

/** With more, a client only waits for its own uploads. */
const JOBS_MAX = 64;
/** Help lists at most this many words of a value; a hundred languages would bury the rest. */
const LISTED_WORDS_MAX = 10;

export interface SubmitOptions extends Partial<AnalysisOptions> {
  kind?: MediaKind;
  refId?: string;
  cache: boolean;
  batch?: true;
  desk?: bigint;
}

const KIND_VALUES = { image: ProtoKind.IMAGE, video: ProtoKind.VIDEO, audio: ProtoKind.AUDIO } as const;

export function analysisOptions(): Option[] {
  return rowsOf(ANALYSIS_OPTIONS).map(([name, row]) => {
    const { allowed, valueName, sentence, commandSentence = sentence } = row;
    const long = `--${toSnakeCase(name).replaceAll('_', '-')}`;
    if (allowed === undefined) return new Option(long, commandSentence);
    const option = new Option(`${long} <${valueName}>`, commandSentence);
    const words = allowed.filter((one) => typeof one === 'string');
    const isShort = words.length > 0 && words.length <= LISTED_WORDS_MAX;
    return isShort ? option.choices(words) : option.argParser((value) => parseAllowed(value, allowed));
  });
}

function parseAllowed<T>(value: string, allowed: readonly T[]): T {
  const known = allowed.find((one) => String(one) === value);
  if (known === undefined) throw new InvalidArgumentError(`It must be one of ${allowed.join(', ')}.`);
  return known;
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
  const { kind, refId, cache, batch, desk, keyFramesMethod } = options;
  return toMessage(MediaHeaderSchema, {
    kind,
    refId,
    noCache: !cache,
    deskId: desk,
    priority: batch === true ? 'batch' : 'interactive',
    options: {
      keyFrames: keyFramesMethod !== undefined,
      ...options,
      keyFramesMethod: keyFramesMethod ?? ANALYSIS_OPTIONS.keyFramesMethod.initial,
    },
  }) as MediaHeaderInit;
}
