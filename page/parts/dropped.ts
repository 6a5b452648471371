/** The files of a drop, folders opened; hidden files and what is no medium by its name are left out. */
import { FORMATS } from '../../src/domain/media/formats.ts';

const ENTRIES_MAX = 10_000;
const ENDINGS: ReadonlySet<string> = new Set(FORMATS.flatMap(({ extensions }) => extensions));

export function isMedia({ name, type }: { name: string; type: string }): boolean {
  if (name.startsWith('.')) return false;
  const [, ending = ''] = /\.([^.]+)$/.exec(name) ?? [];
  return /^(image|video|audio)\//.test(type) || ENDINGS.has(ending.toLowerCase()) || ending === 'c2pa';
}

export async function filesOf(transfer: DataTransfer): Promise<File[]> {
  // The list empties itself when this function first waits, so the entries are taken at once.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return [...transfer.files];
  const found: File[] = [];
  for (const entry of entries) await collect(entry, found, entry.isFile);
  return found;
}

/** A file that is dropped by itself is taken whatever its name is; the appliance judges its content. */
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
