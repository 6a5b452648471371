/** The grey picture under the maps of one file, of which there are up to three: decoded once, and forgotten with the slot's files. */

export interface GreyPicture {
  width: number;
  height: number;
  /** At most 1024 × 1024 bytes. */
  grey: Buffer;
}

let kept: { path: string; picture: GreyPicture } | null = null;

export async function keptGrey(path: string, decode: () => Promise<GreyPicture>): Promise<GreyPicture> {
  kept = kept?.path === path ? kept : { path, picture: await decode() };
  return kept.picture;
}

export function forgetGrey(): void {
  kept = null;
}
