/** The fields of the submission forms, per media kind and for validation. */

import { MEDIA_KINDS, type MediaKind } from '../../domain/media.ts';
import { FRAME_COUNTS, FRAMES_DEFAULT, KEY_FRAME_METHODS } from '../../domain/options.ts';
import type { Schema } from './openapi-schemas.ts';

/** How a boolean is written in a form (DESIGN.md section 4). */
function flag(description: string): Schema {
  return { type: 'string', enum: ['true', '1', 'on', 'false', '0', ''], description };
}

const morphing = { with_morphing: flag('also analyse faces for swaps: a hint, not evidence') };
const tampering = {
  with_tampering: flag('also analyse signs of tampering without generative AI: a hint, not evidence'),
};
const heatmap = { with_heatmap: flag('also produce an AI-content heatmap') };
const nsfw = { with_nsfw: flag('also detect NSFW content') };
const track = { with_audio: flag('also analyse the audio track, where the plan enables it') };

const shared: Record<string, Schema> = {
  ref_id: { type: 'string', maxLength: 255, description: 'reference stored with the record' },
  webhook_url: {
    type: 'string',
    format: 'uri',
    description: 'the result is also sent there, where the plan enables it; ignored otherwise',
  },
  no_cache: flag('analyse again even if the same file was submitted with the same options'),
  prevent_c2pa_forces: flag('a C2PA signature does not force the origin to artificial'),
};

const videoOptions: Record<string, Schema> = {
  ...morphing,
  ...tampering,
  ...nsfw,
  ...track,
  frames: {
    type: 'string',
    enum: FRAME_COUNTS.map(String),
    default: String(FRAMES_DEFAULT),
    description: 'frames to analyse',
  },
  key_frames: flag('choose key frames instead of evenly spaced ones'),
  key_frames_method: { type: 'string', enum: [...KEY_FRAME_METHODS], default: KEY_FRAME_METHODS[0] },
  ensure_face_per_frame: flag('prefer frames that show a face'),
};

const OPTIONS: Readonly<Record<MediaKind, Record<string, Schema>>> = {
  image: { ...morphing, ...tampering, ...heatmap, ...nsfw },
  video: videoOptions,
  audio: {},
};

const FILES: Readonly<Record<MediaKind, string>> = {
  image: 'PNG, JPEG, WebP or TIFF, at most 15,728,640 bytes',
  video: 'any video the decoder reads, at most 5 GB unless the plan says less',
  audio: 'MP3, WAV, OGG, FLAC, AAC, 3GP, M4A, M4B, M4P, M4R or MP4, at most 15,728,640 bytes',
};

/** A media type object: the fields and an example of them. */
export interface DescribedForm extends Schema {
  schema: Schema;
  example: Record<string, string>;
}

/** `format` is what generators for OpenAPI 3.0 and 3.1 alike take for a file. */
const bytes: Schema = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' };
const BYTES_EXAMPLE = '(the bytes of the file)';
const OPTION_EXAMPLE: Readonly<Record<MediaKind, Record<string, string>>> = {
  image: { with_heatmap: 'true' },
  video: { frames: '10', with_audio: 'true' },
  audio: {},
};

export function uploadForm(kind: MediaKind): DescribedForm {
  const file: Schema = { ...bytes, description: FILES[kind] };
  return {
    schema: form({ [kind]: file, ...shared, ...OPTIONS[kind] }, [kind]),
    example: { [kind]: BYTES_EXAMPLE, ref_id: 'desk-4711', ...OPTION_EXAMPLE[kind] },
  };
}

export function addressForm(kind: MediaKind): DescribedForm {
  const address: Schema = {
    type: 'string',
    format: 'uri',
    maxLength: 2048,
    description: `http(s) address; ${FILES[kind]}`,
  };
  return {
    schema: form({ file_url: address, ...shared, ...OPTIONS[kind] }, ['file_url']),
    example: { file_url: `https://example.org/media/${kind}`, ref_id: 'desk-4711', ...OPTION_EXAMPLE[kind] },
  };
}

export function validationForm(): DescribedForm {
  const type: Schema = { type: 'string', enum: [...MEDIA_KINDS] };
  const options = { ...morphing, ...tampering, ...heatmap, ...nsfw, ...track };
  return {
    schema: form({ type, file: bytes, ...options }, ['type', 'file']),
    example: { type: 'image', file: BYTES_EXAMPLE, with_heatmap: 'true' },
  };
}

function form(properties: Record<string, Schema>, required: string[]): Schema {
  return { type: 'object', properties, required };
}
