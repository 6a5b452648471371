/**
 * Media kinds and types: what interface.md lists, how a type is told from the first bytes, and which kind a
 * container turns out to be once its streams are known. Nothing here opens a file.
 */

export const MEDIA_KINDS = ['image', 'video', 'audio'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** Two propositions, as interface.md names them. */
export const LABELS = ['human', 'artificial'] as const;
export type Label = (typeof LABELS)[number];

export interface MediaType {
  mime: string;
  kind: MediaKind;
  /** For sentences. */
  name: string;
  /** File name endings, the first is the preferred one. */
  extensions: readonly string[];
  /** Listed in interface.md (for video: any `video/*`), so accepted whatever the plan says. */
  documented: boolean;
}

const type = (
  kind: MediaKind,
  mime: string,
  name: string,
  extensions: readonly string[],
  documented: boolean,
): MediaType => ({ kind, mime, name, extensions, documented });

/** A mime stands twice where the same container is of one kind or the other by what it holds. */
export const MEDIA_TYPES: readonly MediaType[] = [
  type('image', 'image/png', 'PNG', ['png'], true),
  type('image', 'image/jpeg', 'JPEG', ['jpg', 'jpeg'], true),
  type('image', 'image/webp', 'WEBP', ['webp'], true),
  type('image', 'image/tiff', 'TIFF', ['tiff', 'tif'], true),
  type('image', 'image/heic', 'HEIC', ['heic', 'heif', 'hif'], false),
  type('image', 'image/avif', 'AVIF', ['avif'], false),
  type('image', 'image/gif', 'GIF', ['gif'], false),
  type('image', 'image/jxl', 'JPEG XL', ['jxl'], false),

  type('video', 'video/mp4', 'MP4', ['mp4', 'm4v'], true),
  type('video', 'video/quicktime', 'MOV', ['mov', 'qt'], true),
  type('video', 'video/x-matroska', 'MKV', ['mkv'], true),
  type('video', 'video/webm', 'WebM', ['webm'], true),
  type('video', 'video/x-msvideo', 'AVI', ['avi'], true),
  type('video', 'video/mp2t', 'MPEG-TS', ['ts', 'mts', 'm2ts'], true),
  type('video', 'video/mpeg', 'MPEG-PS', ['mpg', 'mpeg', 'vob'], true),
  type('video', 'video/3gpp', '3GP', ['3gp', '3g2'], true),
  type('video', 'video/ogg', 'OGG video', ['ogv'], true),
  type('video', 'video/x-flv', 'FLV', ['flv'], true),
  type('video', 'video/x-ms-wmv', 'WMV', ['wmv', 'asf'], true),
  type('video', 'application/mxf', 'MXF', ['mxf'], true),

  type('audio', 'audio/mpeg', 'MP3', ['mp3', 'mp2'], true),
  type('audio', 'audio/wav', 'WAV', ['wav'], true),
  type('audio', 'audio/ogg', 'OGG', ['ogg', 'oga', 'opus'], true),
  type('audio', 'audio/flac', 'FLAC', ['flac'], true),
  type('audio', 'audio/aac', 'AAC', ['aac'], true),
  type('audio', 'audio/3gp', '3GP', [], true),
  type('audio', 'audio/m4a', 'M4A', ['m4a'], true),
  type('audio', 'audio/m4b', 'M4B', ['m4b'], true),
  type('audio', 'audio/m4p', 'M4P', ['m4p'], true),
  type('audio', 'audio/m4r', 'M4R', ['m4r'], true),
  type('audio', 'video/mp4', 'MP4', [], true),
  type('audio', 'video/quicktime', 'MOV', [], false),
  type('audio', 'audio/x-matroska', 'MKA', ['mka'], false),
  type('audio', 'audio/webm', 'WebM', ['weba'], false),
  type('audio', 'video/x-msvideo', 'AVI', [], false),
  type('audio', 'video/mp2t', 'MPEG-TS', [], false),
  type('audio', 'video/mpeg', 'MPEG-PS', [], false),
  type('audio', 'video/x-flv', 'FLV', [], false),
  type('audio', 'audio/x-ms-wma', 'WMA', ['wma'], false),
  type('audio', 'application/mxf', 'MXF', [], false),
  type('audio', 'audio/aiff', 'AIFF', ['aiff', 'aif'], false),
  type('audio', 'audio/x-caf', 'CAF', ['caf'], false),
  type('audio', 'audio/amr', 'AMR', ['amr'], false),
  type('audio', 'audio/ac3', 'AC-3', ['ac3', 'eac3'], false),
];

/** A container's mime once it is known to hold sound only; where none is named it stays as it was sniffed. */
const SOUND_MIMES: Readonly<Record<string, string>> = {
  'video/3gpp': 'audio/3gp',
  'video/x-matroska': 'audio/x-matroska',
  'video/webm': 'audio/webm',
  'video/ogg': 'audio/ogg',
  'video/x-ms-wmv': 'audio/x-ms-wma',
};

/** A container's mime once a moving picture was found in what looked like sound. */
const PICTURE_MIMES: Readonly<Record<string, string>> = {
  'audio/m4a': 'video/mp4',
  'audio/m4b': 'video/mp4',
  'audio/m4p': 'video/mp4',
  'audio/m4r': 'video/mp4',
  'audio/ogg': 'video/ogg',
};

/** The type of a container by what it was found to hold; undefined where such a one is not accepted. */
export function refineMediaType(mime: string, kind: 'video' | 'audio'): MediaType | undefined {
  const refined = (kind === 'audio' ? SOUND_MIMES : PICTURE_MIMES)[mime] ?? mime;
  return MEDIA_TYPES.find((known) => known.mime === refined && known.kind === kind);
}

/** The accepted types of a kind, for an error's sentence: `PNG, JPEG, WEBP, …`. */
export function describeAcceptedTypes(kind: MediaKind): string {
  const names = MEDIA_TYPES.filter((known) => known.kind === kind).map(({ name }) => name);
  return [...new Set(names)].join(', ');
}
