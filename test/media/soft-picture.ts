/** A picture made by a rule whose colours change slowly, as a photograph's do. */
import type { Picture } from '../../src/worker/media/picture.ts';

/** Soft shapes in several colours, as a photograph has; whole numbers only. */
export function softPicture(width: number, height: number): Picture {
  const rgb = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const wave = Math.abs(((x * 3 + y * 2) % 400) - 200);
      const shade = Math.abs(((x - y * 2 + 4000) % 300) - 150);
      rgb.set([30 + wave, 60 + ((wave + shade) >> 1), 40 + shade], (y * width + x) * 3);
    }
  }
  return { width, height, rgb };
}
