/** A posting of a word: number of the picture in its chapter, direction of the keypoint, further bits. */

export const ROW_SHIFT = 15;
export const DIRECTION_SHIFT = 11;
export const CHAPTER_ROWS = 1 << (32 - ROW_SHIFT);
export const DIRECTIONS = 16;
export const TAG_MASK = (1 << DIRECTION_SHIFT) - 1;
