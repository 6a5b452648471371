/** Letters of legends and contact sheets, since a server may have no fonts; other characters are drawn as blanks. */

export const GLYPH_HEIGHT = 7;
/** Five pixels and one of space. */
export const GLYPH_ADVANCE = 6;

const GLYPHS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries<readonly string[]>({
    '0': [' ### ', '#   #', '#  ##', '# # #', '##  #', '#   #', ' ### '],
    '1': ['  #  ', ' ##  ', '  #  ', '  #  ', '  #  ', '  #  ', ' ### '],
    '2': [' ### ', '#   #', '    #', '   # ', '  #  ', ' #   ', '#####'],
    '3': ['#####', '   # ', '  #  ', '   # ', '    #', '#   #', ' ### '],
    '4': ['   # ', '  ## ', ' # # ', '#  # ', '#####', '   # ', '   # '],
    '5': ['#####', '#    ', '#### ', '    #', '    #', '#   #', ' ### '],
    '6': ['  ## ', ' #   ', '#    ', '#### ', '#   #', '#   #', ' ### '],
    '7': ['#####', '    #', '   # ', '  #  ', ' #   ', ' #   ', ' #   '],
    '8': [' ### ', '#   #', '#   #', ' ### ', '#   #', '#   #', ' ### '],
    '9': [' ### ', '#   #', '#   #', ' ####', '    #', '   # ', ' ##  '],
    ':': ['     ', ' ##  ', ' ##  ', '     ', ' ##  ', ' ##  ', '     '],
    ',': ['     ', '     ', '     ', '     ', ' ##  ', '  #  ', ' #   '],
    '-': ['     ', '     ', '     ', '#####', '     ', '     ', '     '],
    '%': ['##   ', '##  #', '   # ', '  #  ', ' #   ', '#  ##', '   ##'],
    '.': ['     ', '     ', '     ', '     ', '     ', ' ##  ', ' ##  '],
    ' ': [],
    a: ['     ', '     ', ' ### ', '    #', ' ####', '#   #', ' ####'],
    b: ['#    ', '#    ', '# ## ', '##  #', '#   #', '##  #', '# ## '],
    c: ['     ', '     ', ' ### ', '#    ', '#    ', '#   #', ' ### '],
    d: ['    #', '    #', ' ## #', '#  ##', '#   #', '#  ##', ' ## #'],
    e: ['     ', '     ', ' ### ', '#   #', '#####', '#    ', ' ### '],
    f: ['  ## ', ' #  #', ' #   ', '###  ', ' #   ', ' #   ', ' #   '],
    h: ['#    ', '#    ', '# ## ', '##  #', '#   #', '#   #', '#   #'],
    i: ['  #  ', '     ', ' ##  ', '  #  ', '  #  ', '  #  ', ' ### '],
    l: [' ##  ', '  #  ', '  #  ', '  #  ', '  #  ', '  #  ', ' ### '],
    m: ['     ', '     ', '## # ', '# # #', '# # #', '#   #', '#   #'],
    n: ['     ', '     ', '# ## ', '##  #', '#   #', '#   #', '#   #'],
    o: ['     ', '     ', ' ### ', '#   #', '#   #', '#   #', ' ### '],
    p: ['     ', '     ', '#### ', '#   #', '#### ', '#    ', '#    '],
    r: ['     ', '     ', '# ## ', '##  #', '#    ', '#    ', '#    '],
    s: ['     ', '     ', ' ### ', '#    ', ' ### ', '    #', '#### '],
    t: [' #   ', ' #   ', '###  ', ' #   ', ' #   ', ' #  #', '  ## '],
    u: ['     ', '     ', '#   #', '#   #', '#   #', '#  ##', ' ## #'],
    v: ['     ', '     ', '#   #', '#   #', '#   #', ' # # ', '  #  '],
    w: ['     ', '     ', '#   #', '#   #', '# # #', '# # #', ' # # '],
  }),
);

export const textWidth = (text: string, scale: number): number => (text.length * GLYPH_ADVANCE - 1) * scale;

/** Calls `paint` for every pixel that the text covers, its top left corner at 0, 0. */
export function drawText(text: string, scale: number, paint: (x: number, y: number) => void): void {
  for (const [index, letter] of [...text].entries()) {
    for (const [row, line] of (GLYPHS.get(letter) ?? []).entries()) {
      for (let column = 0; column < line.length; column++) {
        if (line[column] === '#')
          paintBlock((index * GLYPH_ADVANCE + column) * scale, row * scale, scale, paint);
      }
    }
  }
}

function paintBlock(left: number, top: number, side: number, paint: (x: number, y: number) => void): void {
  for (let y = top; y < top + side; y++) for (let x = left; x < left + side; x++) paint(x, y);
}
