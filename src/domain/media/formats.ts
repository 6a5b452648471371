/** Every accepted format: its name, how it is recognised, what reads it and how a browser shows it. Opens no file. */
import { DECODERS } from './decoders.ts';
import { MEDIA_KINDS, type MediaKind } from './media.ts';

export interface Format {
  mime: string;
  /** For sentences. */
  name: string;
  /** File name endings, the first is the preferred one. */
  extensions: readonly string[];
  /** The kinds it can hold; by its head a container counts as video. Documented kinds are accepted whatever the plan says. */
  kinds: Partial<Record<MediaKind, 'documented' | 'foreign'>>;
  /** The format instead if its streams are sound only, or if supposed sound has a moving picture. */
  otherwise?: string;
  /** First bytes, any of which are enough. */
  starts?: readonly string[];
  /** The family that the first bytes show, and its word for this format (`sniff.ts`). */
  within?: readonly [family: FormatFamily, word: RegExp];
  /** Its demuxers; no other may open such a file. Without `starts` and `within` they alone recognise it. */
  demuxers?: string;
  /** The library's decoders for its streams. */
  decoders?: string;
  /** Whether its unsigned metadata are read. */
  hasMetadata?: true;
  /** Its pictures are items of a HEIF file, which our own reader puts together. */
  isHeif?: true;
  /** The C2PA reader's name of the format; without one it has no provenance. */
  c2pa?: string;
  /** The type under which every current browser shows or opens it; whether it plays, only the browser knows. */
  shownAs?: string;
  /** Taken as speech although it has a picture: phones save recordings so (docs/interface.md). */
  isRecording?: true;
}

export type FormatFamily = 'ogg' | 'ebml' | 'riff' | 'iff' | 'iso' | 'packets' | 'frames';

/** The format of a family's file that names no other. */
const USUAL = /^$/;

type Facets = Omit<Format, 'mime' | 'name' | 'extensions'>;

function format(mime: string, name: string, extensions: readonly string[], facets: Facets): Format {
  return { mime, name, extensions, ...facets };
}

/** In the order in which sentences list them. */
export const FORMATS: readonly Format[] = [
  format('image/png', 'PNG', ['png'], {
    kinds: { image: 'documented' },
    starts: ['\x89PNG\r\n\x1a\n'],
    // For animations: the picture library sees only one picture.
    demuxers: 'apng',
    decoders: DECODERS.apng,
    hasMetadata: true,
    c2pa: 'image/png',
    shownAs: 'image/png',
  }),
  format('image/jpeg', 'JPEG', ['jpg', 'jpeg'], {
    kinds: { image: 'documented' },
    starts: ['\xff\xd8\xff'],
    hasMetadata: true,
    c2pa: 'image/jpeg',
    shownAs: 'image/jpeg',
  }),
  format('image/webp', 'WEBP', ['webp'], {
    kinds: { image: 'documented' },
    within: ['riff', /^WEBP$/],
    hasMetadata: true,
    c2pa: 'image/webp',
    shownAs: 'image/webp',
  }),
  format('image/tiff', 'TIFF', ['tiff', 'tif'], {
    kinds: { image: 'documented' },
    starts: ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'],
    hasMetadata: true,
    c2pa: 'image/tiff',
  }),
  format('image/heic', 'HEIC', ['heic', 'heif', 'hif'], {
    kinds: { image: 'foreign' },
    within: ['iso', /^(hei[cxms]|hev[cx])/],
    demuxers: 'mov',
    decoders: DECODERS.heif,
    isHeif: true,
    hasMetadata: true,
    c2pa: 'image/heic',
  }),
  format('image/avif', 'AVIF', ['avif'], {
    kinds: { image: 'foreign' },
    within: ['iso', /^avi[fs]/],
    demuxers: 'mov',
    decoders: DECODERS.heif,
    isHeif: true,
    hasMetadata: true,
    c2pa: 'image/avif',
    shownAs: 'image/avif',
  }),
  format('image/gif', 'GIF', ['gif'], {
    kinds: { image: 'foreign' },
    starts: ['GIF87a', 'GIF89a'],
    c2pa: 'image/gif',
    shownAs: 'image/gif',
  }),
  format('image/jxl', 'JPEG XL', ['jxl'], {
    kinds: { image: 'foreign' },
    starts: ['\xff\n', '\0\0\0\x0cJXL \r\n\x87\n'],
    demuxers: 'jpegxl_pipe,jpegxl_anim',
    decoders: DECODERS.jxl,
    c2pa: 'image/jxl',
  }),
  format('audio/mpeg', 'MP3', ['mp3', 'mp2'], {
    kinds: { audio: 'documented' },
    // A tag may also precede FLAC or AAC; the probe looks behind it.
    starts: ['ID3'],
    within: ['frames', /^mpeg$/],
    demuxers: 'mp3,flac,aac',
    decoders: DECODERS.mpegSound,
    c2pa: 'audio/mpeg',
    shownAs: 'audio/mpeg',
  }),
  format('audio/wav', 'WAV', ['wav'], {
    kinds: { audio: 'documented' },
    within: ['riff', /^WAVE$/],
    demuxers: 'wav',
    decoders: DECODERS.wav,
    c2pa: 'audio/wav',
    shownAs: 'audio/wav',
  }),
  format('audio/ogg', 'OGG', ['ogg', 'oga', 'opus'], {
    kinds: { audio: 'documented' },
    within: ['ogg', USUAL],
    otherwise: 'video/ogg',
    demuxers: 'ogg',
    decoders: DECODERS.ogg,
    shownAs: 'audio/ogg',
  }),
  format('audio/flac', 'FLAC', ['flac'], {
    kinds: { audio: 'documented' },
    starts: ['fLaC'],
    demuxers: 'flac',
    decoders: DECODERS.flac,
    c2pa: 'audio/flac',
    shownAs: 'audio/flac',
  }),
  format('audio/aac', 'AAC', ['aac'], {
    kinds: { audio: 'documented' },
    within: ['frames', /^aac$/],
    demuxers: 'aac',
    decoders: DECODERS.aac,
    shownAs: 'audio/aac',
  }),
  format('audio/3gp', '3GP', [], {
    kinds: { audio: 'documented' },
  }),
  format('audio/m4a', 'M4A', ['m4a'], {
    kinds: { audio: 'documented' },
    within: ['iso', /^M4A/],
    otherwise: 'video/mp4',
    demuxers: 'mov',
    decoders: DECODERS.iso,
    c2pa: 'audio/mp4',
    shownAs: 'audio/mp4',
  }),
  format('audio/m4b', 'M4B', ['m4b'], {
    kinds: { audio: 'documented' },
    within: ['iso', /^M4B/],
    otherwise: 'video/mp4',
    demuxers: 'mov',
    decoders: DECODERS.iso,
    c2pa: 'audio/mp4',
    shownAs: 'audio/mp4',
  }),
  format('audio/m4p', 'M4P', ['m4p'], {
    kinds: { audio: 'documented' },
    within: ['iso', /^M4P/],
    otherwise: 'video/mp4',
    demuxers: 'mov',
    decoders: DECODERS.iso,
    c2pa: 'audio/mp4',
  }),
  format('audio/m4r', 'M4R', ['m4r'], {
    kinds: { audio: 'documented' },
    within: ['iso', /^M4R/],
    otherwise: 'video/mp4',
    demuxers: 'mov',
    decoders: DECODERS.iso,
    c2pa: 'audio/mp4',
  }),
  format('video/mp4', 'MP4', ['mp4', 'm4v'], {
    kinds: { video: 'documented', audio: 'documented' },
    within: ['iso', USUAL],
    demuxers: 'mov',
    decoders: DECODERS.iso,
    c2pa: 'video/mp4',
    shownAs: 'video/mp4',
    isRecording: true,
  }),
  format('video/quicktime', 'MOV', ['mov', 'qt'], {
    kinds: { video: 'documented', audio: 'foreign' },
    within: ['iso', /^qt /],
    demuxers: 'mov',
    decoders: DECODERS.iso,
    c2pa: 'video/quicktime',
    // Usually it is MP4.
    shownAs: 'video/mp4',
  }),
  format('video/x-matroska', 'MKV', ['mkv'], {
    kinds: { video: 'documented' },
    within: ['ebml', USUAL],
    otherwise: 'audio/x-matroska',
    demuxers: 'matroska,webm',
    decoders: DECODERS.matroska,
    shownAs: 'video/webm',
  }),
  format('audio/x-matroska', 'MKA', ['mka'], {
    kinds: { audio: 'foreign' },
  }),
  format('video/webm', 'WebM', ['webm'], {
    kinds: { video: 'documented' },
    within: ['ebml', /^webm$/],
    otherwise: 'audio/webm',
    demuxers: 'matroska,webm',
    decoders: DECODERS.matroska,
    shownAs: 'video/webm',
  }),
  format('audio/webm', 'WebM', ['weba'], {
    kinds: { audio: 'foreign' },
    shownAs: 'audio/webm',
  }),
  format('video/x-msvideo', 'AVI', ['avi'], {
    kinds: { video: 'documented', audio: 'foreign' },
    within: ['riff', /^AVI $/],
    demuxers: 'avi',
    decoders: DECODERS.avi,
    c2pa: 'video/x-msvideo',
  }),
  format('video/mp2t', 'MPEG-TS', ['ts', 'mts', 'm2ts'], {
    kinds: { video: 'documented', audio: 'foreign' },
    within: ['packets', USUAL],
    demuxers: 'mpegts',
    decoders: DECODERS.transport,
  }),
  format('video/mpeg', 'MPEG', ['mpg', 'mpeg', 'vob', 'm1v', 'm2v'], {
    kinds: { video: 'documented', audio: 'foreign' },
    // A program stream, also behind the 40 bytes of a Hikvision recorder, and a stream of pictures alone.
    starts: ['\0\0\x01\xba', 'IMKH', '\0\0\x01\xb3'],
    demuxers: 'mpeg,mpegvideo',
    decoders: DECODERS.program,
  }),
  format('video/h264', 'H.264', ['h264', '264'], {
    kinds: { video: 'documented' },
    demuxers: 'h264',
    decoders: DECODERS.h264,
  }),
  format('video/h265', 'H.265', ['h265', '265', 'hevc'], {
    kinds: { video: 'documented' },
    demuxers: 'hevc',
    decoders: DECODERS.hevc,
  }),
  format('video/3gpp', '3GP', ['3gp', '3g2'], {
    kinds: { video: 'documented' },
    within: ['iso', /^3g/],
    otherwise: 'audio/3gp',
    demuxers: 'mov',
    decoders: DECODERS.iso,
    isRecording: true,
  }),
  format('video/ogg', 'OGG video', ['ogv'], {
    kinds: { video: 'documented' },
    within: ['ogg', /^(theora|fishead)$/],
    otherwise: 'audio/ogg',
    demuxers: 'ogg',
    decoders: DECODERS.ogg,
    shownAs: 'video/ogg',
  }),
  format('video/x-flv', 'FLV', ['flv'], {
    kinds: { video: 'documented', audio: 'foreign' },
    starts: ['FLV\x01'],
    demuxers: 'flv',
    decoders: DECODERS.flv,
  }),
  format('video/x-ms-wmv', 'WMV', ['wmv', 'asf'], {
    kinds: { video: 'documented' },
    starts: ['0&\xb2u\x8ef\xcf\x11'],
    otherwise: 'audio/x-ms-wma',
    demuxers: 'asf,asf_o',
    decoders: DECODERS.asf,
  }),
  format('audio/x-ms-wma', 'WMA', ['wma'], {
    kinds: { audio: 'foreign' },
  }),
  format('application/mxf', 'MXF', ['mxf'], {
    kinds: { video: 'documented', audio: 'foreign' },
    starts: ['\x06\x0e+4\x02\x05\x01\x01'],
    demuxers: 'mxf',
    decoders: DECODERS.mxf,
  }),
  format('audio/aiff', 'AIFF', ['aiff', 'aif'], {
    kinds: { audio: 'foreign' },
    within: ['iff', /^AIF[FC]/],
    demuxers: 'aiff',
    decoders: DECODERS.aiff,
  }),
  format('audio/x-caf', 'CAF', ['caf'], {
    kinds: { audio: 'foreign' },
    starts: ['caff'],
    demuxers: 'caf',
    decoders: DECODERS.caf,
  }),
  format('audio/amr', 'AMR', ['amr'], {
    kinds: { audio: 'foreign' },
    starts: ['#!AMR'],
    demuxers: 'amr,amrnb,amrwb',
    decoders: DECODERS.amr,
  }),
  format('audio/ac3', 'AC-3', ['ac3', 'eac3'], {
    kinds: { audio: 'foreign' },
    within: ['frames', /^ac3$/],
    demuxers: 'ac3,eac3',
    decoders: DECODERS.ac3,
  }),
];

const byMime = new Map(FORMATS.map((known) => [known.mime, known]));

export const formatOf = (mime: string): Format | undefined => byMime.get(mime);

/** The format that a demuxer of the media library reads, except pictures; undefined for others. */
export function formatReadBy(demuxer: string): Format | undefined {
  const names = demuxer.split(',');
  const read = FORMATS.filter(({ kinds, demuxers }) => !('image' in kinds) && demuxers !== undefined);
  const ofOwn = read.filter(({ demuxers = '' }) => names.includes(demuxers.split(',')[0] ?? ''));
  return ofOwn.find(({ within }) => within?.[1] === USUAL) ?? ofOwn[0];
}

/** A format as one of its kinds. */
export interface MediaType extends Pick<Format, 'mime' | 'name' | 'extensions'> {
  kind: MediaKind;
  documented: boolean;
}

/** By kind, since the same container may be accepted with a picture and refused without. */
export const MEDIA_TYPES: readonly MediaType[] = FORMATS.flatMap(({ mime, name, extensions, kinds }) =>
  MEDIA_KINDS.filter((kind) => kind in kinds).map((kind) => ({
    mime,
    name,
    extensions,
    kind,
    documented: kinds[kind] === 'documented',
  })),
);

/** The type of a format until its streams are known. */
export function typeOf(mime: string): MediaType | undefined {
  return MEDIA_TYPES.find((known) => known.mime === mime);
}

/** The type of a container by its streams; undefined if such a one is not accepted. */
export function refineMediaType(mime: string, kind: 'video' | 'audio'): MediaType | undefined {
  const { kinds = {}, otherwise } = formatOf(mime) ?? {};
  const refined = kind in kinds ? mime : otherwise;
  return MEDIA_TYPES.find((known) => known.mime === refined && known.kind === kind);
}

/** The accepted types of a kind, for an error's sentence: `PNG, JPEG, WEBP, …`. */
export function describeAcceptedTypes(kind: MediaKind): string {
  const names = MEDIA_TYPES.filter((known) => known.kind === kind).map(({ name }) => name);
  return [...new Set(names)].join(', ');
}
