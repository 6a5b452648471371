/** The fields of the submission forms, per media kind and for validation. */
import { rowsOf, toSnakeCase } from '../../../domain/field.ts';
import { MEDIA_KINDS, type MediaKind } from '../../../domain/media/media.ts';
import { ANALYSIS_OPTIONS } from '../../../domain/records/analysis-options.ts';
import type { Schema } from './schema.ts';

/** A boolean as a form writes it (docs/interface.md, Submit). */
function flag(description: string | undefined): Schema {
  return { type: 'string', enum: ['true', '1', 'on', 'false', '0', ''], description };
}

type OptionRow = (typeof ANALYSIS_OPTIONS)[keyof typeof ANALYSIS_OPTIONS];

const ROWS = rowsOf(ANALYSIS_OPTIONS);

function schemasOf(rows: typeof ROWS): Record<string, Schema> {
  return Object.fromEntries(rows.map(([name, row]) => [toSnakeCase(name), optionSchema(row)]));
}

const isShared = ([, { kinds }]: (typeof ROWS)[number]): boolean => kinds.length === MEDIA_KINDS.length;

/** The options that REST documents for the kind and not for all of them. */
function optionsOf(kind: MediaKind): Record<string, Schema> {
  return schemasOf(ROWS.filter((row) => !isShared(row) && (row[1].restKinds ?? row[1].kinds).includes(kind)));
}

/** The options that choose models; a validation reads no others. */
const VALIDATED = schemasOf(ROWS.filter(([, { planOption }]) => planOption !== undefined));

function optionSchema({ allowed, initial, sentence }: OptionRow): Schema {
  if (allowed === undefined) return flag(sentence);
  const notes = sentence === undefined ? {} : { description: sentence };
  const words = new Set([...allowed, initial].map(String));
  return { type: 'string', enum: [...words], default: String(initial), ...notes };
}

const shared: Record<string, Schema> = {
  ref_id: { type: 'string', maxLength: 255, description: 'reference stored with the record' },
  webhook_url: {
    type: 'string',
    format: 'uri',
    description: 'the result is also sent there, where the plan enables it; ignored otherwise',
  },
  no_cache: flag('analyse again even if the same file was submitted with the same options'),
  ...schemasOf(ROWS.filter(isShared)),
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
    schema: form({ [kind]: file, ...shared, ...optionsOf(kind) }, [kind]),
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
    schema: form({ file_url: address, ...shared, ...optionsOf(kind) }, ['file_url']),
    example: { file_url: `https://example.org/media/${kind}`, ref_id: 'desk-4711', ...OPTION_EXAMPLE[kind] },
  };
}

export function validationForm(): DescribedForm {
  const type: Schema = { type: 'string', enum: [...MEDIA_KINDS] };
  return {
    schema: form({ type, file: bytes, ...VALIDATED }, ['type', 'file']),
    example: { type: 'image', file: BYTES_EXAMPLE, with_heatmap: 'true' },
  };
}

function form(properties: Record<string, Schema>, required: string[]): Schema {
  return { type: 'object', properties, required };
}
