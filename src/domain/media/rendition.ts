/** Renditions: derived files for the browser, never analysed, made anew at any time, offered by kind, type and sides. */
import { formatOf } from './formats.ts';
import type { MediaKind } from './media.ts';

export const RENDITION_KINDS = [
  'picture',
  'preview',
  'tiles',
  'film',
  'sound',
  'strip',
  'peaks',
  'sheet',
  'thumbnail',
] as const;
export type RenditionKind = (typeof RENDITION_KINDS)[number];

export const RENDITION_STATES = ['none', 'waiting', 'making', 'ready', 'failed'] as const;
export type RenditionState = (typeof RENDITION_STATES)[number];

/** A larger picture is tiled: a browser needs four bytes a pixel of a picture that it shows whole. */
export const WHOLE_PIXELS_MAX = 16_000_000;
/** Size of a tiled picture's preview, a screen full. The page knows it too. */
export const PREVIEW_PIXELS_MAX = 4_000_000;
/** WebP's own bound of a side. */
export const WHOLE_SIDE_PIXELS_MAX = 16_383;
/** Larger pictures are tiled even if browsers show them; up to here the original's own pixels are better. */
export const SHOWN_PIXELS_MAX = 50_000_000;
/** Long side of a picture as a report shows it: half a page wide at 250 dots an inch. */
export const PREVIEW_SIDE_PIXELS_MAX = 900;
export const TILE_PIXELS = 512;
/** Long side of thumbnails in lists: twice their place, for screens with fine pixels. */
export const THUMBNAIL_SIDE_PIXELS_MAX = 320;
/** A film often opens black or with a title; at a third it shows something. */
export const THUMBNAIL_PLACE = 1 / 3;

/** Two hours, as for sound: more is hours of encoding and gigabytes of disk for one look. */
export const FILM_SECONDS_MAX = 7200;
/** Height of a film's rendition, or its width if it stands upright. */
export const FILM_SHORT_SIDE_MAX = 720;

/** One row of thumbnails at even distances. */
export const STRIP_FRAMES = 16;
export const STRIP_HEIGHT = 90;

/** Frames of a contact sheet, as many as a submission may ask for: six rows of five make some four megapixels at most. */
export const SHEET_FRAMES_MAX = 30;

export interface SheetFacts {
  /** SHA-256 of the video, hex. */
  hash: string;
  durationSeconds: number;
  /** In pixels, as the video is shown. */
  width: number;
  height: number;
}

export interface SheetFrame {
  timeSeconds: number;
  /** Probability of an artificial origin, 0..1; null if no model could answer. */
  probability: number | null;
}

/** Bars of a waveform: more than a screen is wide. */
export const PEAKS_MAX = 2000;
/** Columns and tones of the picture of a sound's spectrum. */
export const SPECTRUM_WIDTH = 1200;
export const SPECTRUM_HEIGHT = 128;

/** Whether a browser may show the file itself; for a container only a try shows it. */
export function isShowable({
  kind,
  mime,
  width,
  height,
}: {
  kind: MediaKind;
  mime: string;
  width: number | null;
  height: number | null;
}): boolean {
  if (formatOf(mime)?.shownAs === undefined) return false;
  return kind !== 'image' || (width ?? 0) * (height ?? 0) <= SHOWN_PIXELS_MAX;
}

/** The renditions of a file itself, the replacement of the whole file first. */
export function renditionKindsOf(
  kind: MediaKind,
  { width, height }: { width: number | null; height: number | null },
): Exclude<RenditionKind, 'sheet'>[] {
  if (kind === 'audio') return ['sound', 'peaks'];
  if (kind === 'video') return ['film', 'strip', 'thumbnail'];
  return isTiled(width ?? 0, height ?? 0) ? ['picture', 'tiles', 'thumbnail'] : ['picture', 'thumbnail'];
}

export function isTiled(width: number, height: number): boolean {
  return width * height > WHOLE_PIXELS_MAX || Math.max(width, height) > WHOLE_SIDE_PIXELS_MAX;
}

export interface TileLevel {
  /** Size of the whole picture at this level, pixels. */
  width: number;
  height: number;
  columns: number;
  rows: number;
}

/** From the level of one tile to the full size, each twice as large as the one before. */
export function tileLevels(width: number, height: number): TileLevel[] {
  const levels: TileLevel[] = [];
  for (let [w, h] = [width, height]; ; [w, h] = [Math.ceil(w / 2), Math.ceil(h / 2)]) {
    const [columns, rows] = [Math.ceil(w / TILE_PIXELS), Math.ceil(h / TILE_PIXELS)];
    levels.unshift({ width: w, height: h, columns, rows });
    if (columns === 1 && rows === 1) return levels;
  }
}

export type RenditionFigures =
  | { kind: 'picture'; width: number; height: number }
  /** For reports: no record offers it, and it is a JPEG, which every reader of documents shows. */
  | { kind: 'preview'; width: number; height: number }
  /** `tileBytes`: the bytes of each tile, level by level, row by row. */
  | { kind: 'tiles'; width: number; height: number; tileBytes: number[] }
  | { kind: 'film'; width: number; height: number; durationSeconds: number }
  | { kind: 'sound'; durationSeconds: number }
  /** Size of one thumbnail; `times` in seconds, one per thumbnail. */
  | { kind: 'strip'; width: number; height: number; durationSeconds: number; times: number[] }
  /** Loudest sample of each even part, 0 to 255. */
  | { kind: 'peaks'; durationSeconds: number; peaks: number[] }
  /** The place of each analysed frame on the sheet, in pixels, in the order of the film. */
  | { kind: 'sheet'; width: number; height: number; frames: SheetPlace[] }
  | { kind: 'thumbnail'; width: number; height: number };

export interface SheetPlace {
  timeSeconds: number;
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Files that a decode child writes for each kind. */
export const RENDITION_FILES: Readonly<Record<RenditionKind, readonly string[]>> = {
  picture: ['picture.webp'],
  preview: ['preview.jpg'],
  tiles: ['tiles.bin'],
  film: ['film.webm'],
  sound: ['sound.webm'],
  strip: ['strip.webp'],
  peaks: ['spectrum.webp'],
  sheet: ['sheet.png'],
  thumbnail: ['thumbnail.webp'],
};
