/** The part of yauzl 3 that is used here; it brings no types. */
declare module 'yauzl' {
  import type { Readable } from 'node:stream';

  export interface Entry {
    fileName: string;
    uncompressedSize: number;
    isEncrypted(): boolean;
    canDecodeFileData(): boolean;
  }

  export interface ZipFile {
    readonly entryCount: number;
    eachEntry(): AsyncIterableIterator<Entry>;
    openReadStreamPromise(entry: Entry): Promise<Readable>;
    close(): void;
  }

  export function openPromise(path: string, options?: { autoClose?: boolean }): Promise<ZipFile>;
}
