/** Cuts a font of one weight out of a variable one, which PDF lacks, by HarfBuzz as a WebAssembly module. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** The functions of hb-subset that are called; numbers are addresses in its memory. */
interface Subsetter {
  memory: WebAssembly.Memory;
  _initialize(): void;
  malloc(bytes: number): number;
  free(address: number): void;
  hb_blob_create(data: number, bytes: number, mode: number, user: number, destroy: number): number;
  hb_blob_destroy(blob: number): void;
  hb_blob_get_data(blob: number, length: number): number;
  hb_blob_get_length(blob: number): number;
  hb_face_create(blob: number, index: number): number;
  hb_face_destroy(face: number): void;
  hb_face_reference_blob(face: number): number;
  hb_set_clear(set: number): void;
  hb_set_invert(set: number): void;
  hb_subset_input_create_or_fail(): number;
  hb_subset_input_destroy(input: number): void;
  hb_subset_input_set(input: number, kind: number): number;
  hb_subset_input_unicode_set(input: number): number;
  hb_subset_input_pin_axis_location(input: number, face: number, tag: number, value: number): number;
  hb_subset_or_fail(face: number, input: number): number;
}

/** Values of HarfBuzz' headers: hb_memory_mode_t, hb_subset_sets_t, and the tag `wght`. */
const MEMORY_WRITABLE = 2;
const LAYOUT_FEATURES = 6;
const WEIGHT_AXIS = 0x77676874;

export interface FontCutter {
  /** `weight`: 100 to 900. Throws if the bytes are not a variable font. */
  cut(variable: Uint8Array, weight: number): Buffer;
}

export async function openFontCutter(): Promise<FontCutter> {
  const path = createRequire(import.meta.url).resolve('harfbuzzjs/dist/harfbuzz-subset.wasm');
  const { instance } = await WebAssembly.instantiate(await readFile(path));
  const subsetter = instance.exports as unknown as Subsetter;
  subsetter._initialize();
  return { cut: (variable, weight) => cut(subsetter, variable, weight) };
}

function cut(subsetter: Subsetter, variable: Uint8Array, weight: number): Buffer {
  const data = subsetter.malloc(variable.byteLength);
  new Uint8Array(subsetter.memory.buffer).set(variable, data);
  const blob = subsetter.hb_blob_create(data, variable.byteLength, MEMORY_WRITABLE, 0, 0);
  const face = subsetter.hb_face_create(blob, 0);
  const input = subsetter.hb_subset_input_create_or_fail();
  try {
    for (const set of [
      subsetter.hb_subset_input_set(input, LAYOUT_FEATURES),
      subsetter.hb_subset_input_unicode_set(input),
    ]) {
      subsetter.hb_set_clear(set);
      subsetter.hb_set_invert(set);
    }
    if (subsetter.hb_subset_input_pin_axis_location(input, face, WEIGHT_AXIS, weight) === 0)
      throw new Error('the font has no axis of weight');
    const made = subsetter.hb_subset_or_fail(face, input);
    if (made === 0) throw new Error('the font cannot be cut');
    return takeBytes(subsetter, made);
  } finally {
    subsetter.hb_subset_input_destroy(input);
    subsetter.hb_face_destroy(face);
    subsetter.hb_blob_destroy(blob);
    subsetter.free(data);
  }
}

function takeBytes(subsetter: Subsetter, face: number): Buffer {
  const blob = subsetter.hb_face_reference_blob(face);
  const from = subsetter.hb_blob_get_data(blob, 0);
  // The memory may have grown, which invalidates earlier views of it.
  const bytes = Buffer.from(
    new Uint8Array(subsetter.memory.buffer, from, subsetter.hb_blob_get_length(blob)),
  );
  subsetter.hb_blob_destroy(blob);
  subsetter.hb_face_destroy(face);
  return bytes;
}
