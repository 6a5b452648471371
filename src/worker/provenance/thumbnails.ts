/** Thumbnails of ingredients: hostile pictures, decoded here and drawn anew, small. */
import type { Reader } from '@contentauth/c2pa-node';
import { openPicture } from '../pictures/picture-file.ts';
import type { ReadManifest } from './manifest-store.ts';

/** Each costs some milliseconds; a store with more shows the first. */
const THUMBNAILS_MAX = 8;
/** A thumbnail is small; real ones have up to 150 KB. */
const BYTES_MAX = 2 * 1024 * 1024;
const PIXELS_MAX = 16_000_000;
const SIDE_PIXELS = 96;
const QUALITY = 60;

/** JPEG as data addresses, by the reader's identifiers. */
export async function readThumbnails(
  reader: Reader,
  manifests: readonly ReadManifest[],
): Promise<Map<string, string>> {
  const places = manifests.flatMap(({ ingredients }) =>
    ingredients.flatMap(({ thumbnail }) => thumbnail ?? []),
  );
  const identifiers = [...new Set(places.map(({ identifier }) => identifier))].slice(0, THUMBNAILS_MAX);
  const found = new Map<string, string>();
  for (const identifier of identifiers) {
    const drawn = await readThumbnail(reader, identifier);
    if (drawn !== '') found.set(identifier, drawn);
  }
  return found;
}

async function readThumbnail(reader: Reader, identifier: string): Promise<string> {
  try {
    const { buffer } = await reader.resourceToAsset(identifier, { buffer: null });
    if (buffer.length > BYTES_MAX) return '';
    const jpeg = await openPicture(buffer, PIXELS_MAX)
      .resize(SIDE_PIXELS, SIDE_PIXELS, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: QUALITY })
      .toBuffer();
    return `data:image/jpeg;base64,${jpeg.toString('base64')}`;
  } catch {
    // A manifest may call any bytes a thumbnail; those that are no picture are left out.
    return '';
  }
}
