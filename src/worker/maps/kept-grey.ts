/** The grey picture under up to three maps of one file: decoded once, and dropped with the slot's files. */

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
