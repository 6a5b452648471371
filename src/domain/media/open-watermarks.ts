/** Watermarks that open generators write by `dwtDct` of invisible-watermark, and how many wrong bits a find may have. */

/** A generator's message, repeated bit by bit. */
export interface WatermarkMessage {
  id: string;
  /** The generator's name for people. */
  generator: string;
  bits: Uint8Array;
  /** The number of ones among the bits. */
  ones: number;
  /** More wrong bits are no find. */
  errorsMax: number;
}

export interface WatermarkFind {
  id: string;
  bits: number;
  errors: number;
}

/** The package marks no smaller picture, so none is searched. */
export const MARKED_PIXELS_MIN = 256 * 256;

/** Bound per message, layout and picture: over all of them one picture in seven million, if bits were random. */
const CHANCE_MAX = 1e-8;
/** A real picture's bits are not random, and a long message would let a third of them be wrong. */
const ERROR_SHARE_MAX = 0.15;

/** FLUX drops the leading zeros of its 48 bits, so 46 are written. */
const MESSAGES: readonly Readonly<{ id: string; generator: string; bits: string }>[] = [
  {
    id: 'sdxl',
    generator: 'Stable Diffusion XL',
    bits: '101100111110110010010000011110111011000110011110',
  },
  { id: 'flux', generator: 'FLUX', bits: '1010101111111010000111100111001111010100101110' },
  { id: 'sd1', generator: 'Stable Diffusion 1', bits: bitsOfText('StableDiffusionV1') },
  {
    id: 'sd1-inpainting',
    generator: 'Stable Diffusion 1 (inpainting)',
    bits: bitsOfText('StableDiffusionV1-Inpainting'),
  },
  { id: 'sd2', generator: 'Stable Diffusion 2', bits: bitsOfText('SDV2') },
];

export const WATERMARK_MESSAGES: readonly WatermarkMessage[] = MESSAGES.map(({ id, generator, bits }) => {
  const ones = bits.replaceAll('0', '').length;
  return {
    id,
    generator,
    bits: Uint8Array.from(bits, Number),
    ones,
    errorsMax: errorsMaxOf(bits.length, ones),
  };
});

export const WATERMARK_IDS: readonly string[] = WATERMARK_MESSAGES.map(({ id }) => id);

/** Most significant bit first. */
function bitsOfText(text: string): string {
  return Array.from(text, (letter) => letter.charCodeAt(0).toString(2).padStart(8, '0')).join('');
}

function errorsMaxOf(bits: number, ones: number): number {
  let errors = Math.floor(bits * ERROR_SHARE_MAX);
  while (errors > 0 && chanceOf(bits, ones, errors) > CHANCE_MAX) errors -= 1;
  return errors;
}

/** Chance of at most `errors` wrong bits: of as many ones as the message has, one at a wrong place leaves another missing. */
export function chanceOf(bits: number, ones: number, errors: number): number {
  let chance = 0;
  for (let misplaced = 0; misplaced * 2 <= errors; misplaced++) {
    chance += Math.exp(
      logChoose(ones, misplaced) + logChoose(bits - ones, misplaced) - logChoose(bits, ones),
    );
  }
  return chance;
}

function logChoose(all: number, chosen: number): number {
  let sum = 0;
  for (let index = 1; index <= chosen; index++) sum += Math.log((all - chosen + index) / index);
  return sum;
}

export function messageOf(id: string): WatermarkMessage | undefined {
  return WATERMARK_MESSAGES.find((message) => message.id === id);
}
