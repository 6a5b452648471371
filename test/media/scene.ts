/** Pictures made by a rule that have corners everywhere and are unlike each other: shapes at places that a seed draws. */
import sharp, { type Sharp } from 'sharp';

/** Draws numbers 0..1 that only the seed decides. */
export function drawFrom(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const SHAPES = 90;

export function scene(seed: number, width = 640, height = 480): Sharp {
  const draw = drawFrom(seed);
  const colour = () => `rgb(${[0, 1, 2].map(() => Math.floor(draw() * 256)).join()})`;
  const shapes = Array.from({ length: SHAPES }, () => {
    const [x, y, size] = [draw() * width, draw() * height, 12 + draw() * 90];
    const points = Array.from({ length: 3 + Math.floor(draw() * 4) }, () => {
      return `${x + (draw() - 0.5) * size},${y + (draw() - 0.5) * size}`;
    });
    return `<polygon points="${points.join(' ')}" fill="${colour()}"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${colour()}"/>${shapes.join('')}</svg>`;
  return sharp(Buffer.from(svg)).removeAlpha();
}
