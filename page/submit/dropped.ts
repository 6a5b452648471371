/** The files of a drop, folders opened; hidden files and what is no medium by its name are left out. */

const ENTRIES_MAX = 10_000;
const MEDIA_NAME =
  /\.(png|jpe?g|webp|tiff?|heic|heif|hif|avif|gif|jxl|mp4|m4v|mov|qt|mkv|webm|avi|m?ts|m2ts|mpe?g|vob|3gp|3g2|ogv|flv|wmv|asf|mxf|mp[23]|wav|ogg|oga|opus|flac|aac|m4[abpr]|mka|weba|wma|aiff?|caf|amr|e?ac3)$/i;

export function isMedia({ name, type }: { name: string; type: string }): boolean {
  return !name.startsWith('.') && (/^(image|video|audio)\//.test(type) || MEDIA_NAME.test(name));
}

export async function filesOf(transfer: DataTransfer): Promise<File[]> {
  // The list empties itself when this function first waits, so the entries are taken at once.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return [...transfer.files];
  const found: File[] = [];
  for (const entry of entries) await collect(entry, found, entry.isFile);
  return found;
}

/** A file dropped by itself is meant, whatever its name; the appliance judges its content. */
async function collect(entry: FileSystemEntry, found: File[], isNamed: boolean): Promise<void> {
  if (found.length >= ENTRIES_MAX) return;
  if (entry.isFile) {
    const file = await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
    if (isNamed || isMedia(file)) found.push(file);
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const read = (): Promise<FileSystemEntry[]> => new Promise((done, fail) => reader.readEntries(done, fail));
  // A folder is read by parts until one comes back empty.
  for (let part = await read(); part.length > 0; part = await read()) {
    for (const child of part) await collect(child, found, false);
  }
}
