/**
 * Parsing of every submission field, once for all facades. Values come raw under the names of interface.md; a
 * fault names the field, what was expected and what was found.
 */

import { badField } from '../../domain/errors.ts';
import { isHex64 } from '../../domain/identifiers.ts';
import { REF_ID_CHARACTERS_MAX, REQUEST_ID_CHARACTERS_MAX } from '../../domain/limits.ts';
import { LABELS, type Label, type MediaKind } from '../../domain/media/media.ts';
import { PRIORITIES, type Priority } from '../../domain/records/classification.ts';
import {
  type AnalysisOptions,
  DEFAULT_OPTIONS,
  FRAME_COUNTS,
  FRAMES_DEFAULT,
  KEY_FRAME_METHODS,
  OPTIONS_OF_KIND,
} from '../../domain/records/options.ts';
import { parseEach } from '../check-each.ts';

export type RawFields = Readonly<Record<string, unknown>>;

/** What a submission says beside its media and where its result is sent. */
export interface Submission {
  options: AnalysisOptions;
  refId: string;
  noCache: boolean;
  priority: Priority;
  requestId: string | null;
}

const FIELD_OF_OPTION: Readonly<Record<keyof AnalysisOptions, string>> = {
  withMorphing: 'with_morphing',
  withTampering: 'with_tampering',
  withHeatmap: 'with_heatmap',
  withNsfw: 'with_nsfw',
  withAudio: 'with_audio',
  preventC2paForces: 'prevent_c2pa_forces',
  frames: 'frames',
  keyFrames: 'key_frames',
  keyFramesMethod: 'key_frames_method',
  ensureFacePerFrame: 'ensure_face_per_frame',
};

/**
 * Reads the fields that the kind documents and tells all faults at once; fields it does not document are unknown
 * there and ignored.
 */
export function parseSubmission(kind: MediaKind, fields: RawFields): Submission {
  return parseEach<Submission>({
    options: () => parseOptions(kind, fields),
    refId: () => parseText(fields, 'ref_id', REF_ID_CHARACTERS_MAX) ?? '',
    noCache: () => parseBoolean(fields, 'no_cache'),
    priority: () => parsePriority(fields),
    requestId: () => parseText(fields, 'request_id', REQUEST_ID_CHARACTERS_MAX) ?? null,
  });
}

function parseOptions(kind: MediaKind, fields: RawFields): AnalysisOptions {
  const known = OPTIONS_OF_KIND[kind];
  const flag = (name: keyof AnalysisOptions) => (): boolean =>
    known.includes(name) && parseBoolean(fields, FIELD_OF_OPTION[name]);
  return parseEach<AnalysisOptions>({
    withMorphing: flag('withMorphing'),
    withTampering: flag('withTampering'),
    withHeatmap: flag('withHeatmap'),
    withNsfw: flag('withNsfw'),
    withAudio: flag('withAudio'),
    preventC2paForces: flag('preventC2paForces'),
    keyFrames: flag('keyFrames'),
    ensureFacePerFrame: flag('ensureFacePerFrame'),
    frames: () => (known.includes('frames') ? parseFrames(fields) : FRAMES_DEFAULT),
    keyFramesMethod: () =>
      known.includes('keyFramesMethod') ? parseMethod(fields) : DEFAULT_OPTIONS.keyFramesMethod,
  });
}

function parsePriority({ priority: value }: RawFields): Priority {
  if (value === undefined || value === null || value === '') return 'interactive';
  const priority = PRIORITIES.find((known) => known === value);
  if (priority !== undefined) return priority;
  throw badField('priority', `expected interactive or batch, found ${show(value)}`);
}

/** `true`, `1`, `on` / `false`, `0`, empty (DESIGN.md section 4); anything else is the caller's fault. */
export function parseBoolean(fields: RawFields, field: string): boolean {
  const value = fields[field];
  if (
    value === undefined ||
    value === null ||
    value === false ||
    value === '' ||
    value === '0' ||
    value === 'false'
  ) {
    return false;
  }
  if (value === true || value === 'true' || value === '1' || value === 'on') return true;
  throw badField(field, `expected true, 1, on, false, 0 or nothing, found ${show(value)}`);
}

function parseFrames(fields: RawFields): AnalysisOptions['frames'] {
  const value = fields.frames;
  if (value === undefined || value === null || value === '' || value === 0) return FRAMES_DEFAULT;
  const count = FRAME_COUNTS.find((allowed) => allowed === Number(value));
  if (count === undefined) throw badField('frames', `expected 5, 10 or 30, found ${show(value)}`);
  return count;
}

function parseMethod(fields: RawFields): AnalysisOptions['keyFramesMethod'] {
  const value = fields.key_frames_method;
  if (value === undefined || value === null || value === '') return DEFAULT_OPTIONS.keyFramesMethod;
  const method = KEY_FRAME_METHODS.find((allowed) => allowed === value);
  if (method === undefined) {
    throw badField('key_frames_method', `expected iframes, flow or color, found ${show(value)}`);
  }
  return method;
}

/** Text within its bound, or undefined where it is absent or empty. */
export function parseText(fields: RawFields, field: string, charactersMax: number): string | undefined {
  const value = fields[field];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw badField(field, `expected text, found ${show(value)}`);
  if (value.length > charactersMax) {
    throw badField(field, `expected at most ${charactersMax} characters, found ${value.length}`);
  }
  return value;
}

export function parseLabel(value: unknown): Label {
  const label = LABELS.find((allowed) => allowed === value);
  if (label === undefined)
    throw badField('classification', `expected human or artificial, found ${show(value)}`);
  return label;
}

export function parseHash(value: string): string {
  const hash = value.toLowerCase();
  if (!isHex64(hash)) throw badField('hash', `expected 64 hex characters, found ${show(value)}`);
  return hash;
}

/** A value as a fault shows it: quoted and bounded. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
