/** A decode child for all tests of one file, and the folder that it and its files lie in. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { DecodeSlot } from '../../src/engine/decode/decode-slot.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { openSlot } from './decode-fixture.ts';

/** Opened before the first test and closed after the last. */
export class SlotOfFile {
  #opened: { folder: string; slot: DecodeSlot } | undefined;

  constructor() {
    const stack = new AsyncDisposableStack();
    before(async () => {
      const folder = stack.use(await makeTemporaryFolder()).path;
      this.#opened = { folder, slot: stack.use(await openSlot(folder)) };
    });
    after(() => stack.disposeAsync());
  }

  get slot(): DecodeSlot {
    return this.#opened?.slot ?? assert.fail('no test has begun');
  }

  get folder(): string {
    return this.#opened?.folder ?? assert.fail('no test has begun');
  }

  /** Lays the file where the child reads it; returns its name there. */
  async place(bytes: Uint8Array): Promise<string> {
    const path = join(this.folder, 'upload');
    await writeFile(path, bytes);
    return await this.slot.placeInput(path);
  }
}
