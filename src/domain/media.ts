/**
 * Media kinds and types: what interface.md lists, how a type is told from the first bytes, and which decoder
 * family reads it. Nothing here opens a file.
 */

export const MEDIA_KINDS = ['image', 'video', 'audio'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** Two propositions, as interface.md names them. */
export const LABELS = ['human', 'artificial'] as const;
export type Label = (typeof LABELS)[number];

export interface MediaType {
  mime: string;
  kind: MediaKind;
  /** File name endings, the first is the preferred one. */
  extensions: readonly string[];
  /** Listed in interface.md, so accepted whatever the plan says. */
  documented: boolean;
}

export const MEDIA_TYPES: readonly MediaType[] = [
  { mime: 'image/png', kind: 'image', extensions: ['png'], documented: true },
  { mime: 'image/jpeg', kind: 'image', extensions: ['jpg', 'jpeg'], documented: true },
  { mime: 'image/webp', kind: 'image', extensions: ['webp'], documented: true },
  { mime: 'image/tiff', kind: 'image', extensions: ['tiff', 'tif'], documented: true },
];

/** Bytes of a file's head that are enough to tell its type. */
export const HEAD_BYTES = 64;

/** The media type that the first bytes show, or undefined where no accepted type begins so. */
export function sniffMediaType(head: Uint8Array): MediaType | undefined {
  const mime = sniffMime(head);
  return MEDIA_TYPES.find((type) => type.mime === mime);
}

function sniffMime(head: Uint8Array): string | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return 'image/png';
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'image/jpeg';
  const tag = bytes.subarray(0, 4).toString('latin1');
  if (tag === 'RIFF' && bytes.subarray(8, 12).toString('latin1') === 'WEBP') return 'image/webp';
  if (tag === 'II*\0' || tag === 'MM\0*' || tag === 'II+\0' || tag === 'MM\0+') return 'image/tiff';
  return undefined;
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The accepted types of a kind, for an error's sentence: `PNG, JPEG, WEBP, TIFF`. */
export function describeAcceptedTypes(kind: MediaKind): string {
  return MEDIA_TYPES.filter((type) => type.kind === kind)
    .map((type) => type.mime.slice(type.mime.indexOf('/') + 1).toUpperCase())
    .join(', ');
}
