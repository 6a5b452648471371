/** Files with the C2PA manifests that lie beside them: `photo.c2pa` or `photo.jpg.c2pa` beside `photo.jpg`. */

export interface NamedFile {
  file: File;
  /** A manifest beside it; null if none was chosen with it. */
  manifest: File | null;
}

const ENDING = /\.c2pa$/i;

/** A manifest whose file is not among them stays a file of its own: the appliance says what it makes of it. */
export function withManifests(files: readonly File[]): NamedFile[] {
  const manifests = new Map(
    files
      .filter(({ name }) => ENDING.test(name))
      .map((file) => [file.name.replace(ENDING, '').toLowerCase(), file]),
  );
  const taken = new Set<File>();
  const named = files.map((file): NamedFile => {
    if (ENDING.test(file.name)) return { file, manifest: null };
    const whole = file.name.toLowerCase();
    const manifest = manifests.get(whole) ?? manifests.get(whole.replace(/\.[^.]+$/, '')) ?? null;
    if (manifest !== null) taken.add(manifest);
    return { file, manifest };
  });
  return named.filter(({ file }) => !taken.has(file));
}
