/**
 * How the characters of a run become glyphs: joined, reordered and marked as their script wants it, by HarfBuzz. The answer has
 * the form in which pdfkit expects it of its own font library, which puts some scripts' marks elsewhere.
 */
import { Blob, Direction, Face, Font, Buffer as ShapedText, shape } from 'harfbuzzjs';

/** In units of the font, of which an em has 1000 or more. */
export interface ShapedRun {
  glyphs: { id: number; advanceWidth: number; codePoints: number[] }[];
  positions: { xAdvance: number; yAdvance: number; xOffset: number; yOffset: number }[];
  readonly advanceWidth: number;
}

/** Where a line may be broken although no character is there (text-runs.ts puts it in): it is not drawn. */
export const BREAK = '\u200b';

export class Shaping {
  readonly #font: Font;

  /** `bytes`: a font of one weight, TrueType. */
  constructor(bytes: Uint8Array) {
    this.#font = new Font(new Face(new Blob(bytes)));
  }

  /** Glyphs from left to right. */
  layout(text: string, isRightToLeft: boolean): ShapedRun {
    const shown = text.replaceAll(BREAK, '');
    const buffer = new ShapedText();
    buffer.addText(shown);
    buffer.setDirection(isRightToLeft ? Direction.RTL : Direction.LTR);
    buffer.guessSegmentProperties();
    shape(this.#font, buffer);
    const infos = buffer.getGlyphInfos();
    const positions = buffer.getGlyphPositions().map(({ xAdvance, yAdvance, xOffset, yOffset }) => {
      return { xAdvance, yAdvance, xOffset, yOffset };
    });
    const characters = this.#charactersOf(shown, infos, isRightToLeft);
    const glyphs = infos.map(({ codepoint: id }, index) => {
      return { id, advanceWidth: this.#font.glyphHAdvance(id), codePoints: characters[index] ?? [] };
    });
    return {
      glyphs,
      positions,
      // pdfkit scales the positions, and asks for their sum afterwards.
      get advanceWidth() {
        return positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0);
      },
    };
  }

  /**
   * What each glyph stands for. To the right, a glyph that draws one of its cluster's characters alone stands for that, and the first
   * of the others for the characters that are left. To the left, where marks stand in front of their letter, the letter stands for
   * its marks as well: a reader that turns the glyphs round would give them to its neighbour. The rest (a letter's dots) stand for none.
   */
  #charactersOf(text: string, infos: readonly GlyphPlace[], isRightToLeft: boolean): number[][] {
    const starts = [...new Set(infos.map(({ cluster }) => cluster))].sort((a, b) => a - b);
    const left = new Map(
      starts.map((start, index) => [start, [...text.slice(start, starts[index + 1])].map(codePointOf)]),
    );
    const take = (cluster: number) => left.get(cluster)?.splice(0) ?? [];
    if (isRightToLeft)
      return infos
        .toReversed()
        .map(({ cluster }) => take(cluster))
        .reverse();
    const given = infos.map(({ codepoint: glyph, cluster }): number[] => {
      const characters = left.get(cluster) ?? [];
      const at = characters.findIndex((character) => this.#font.nominalGlyph(character) === glyph);
      return at === -1 ? [] : characters.splice(at, 1);
    });
    return infos.map(({ cluster }, index) => {
      const characters = given[index] ?? [];
      return characters.length > 0 ? characters : take(cluster);
    });
  }
}

/** `codepoint` is the number of the glyph. */
interface GlyphPlace {
  codepoint: number;
  cluster: number;
}

export function codePointOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
