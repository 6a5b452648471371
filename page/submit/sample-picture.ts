/** A picture to try the box with, drawn by the browser: nothing of anybody's is needed for it. */

const WIDTH = 960;
const HEIGHT = 640;
const CIRCLES = 60;
const HUE_STEP = 137.5;

/** Amplitude of the grain, of 255, and what its numbers are made by: the same picture everywhere. */
const GRAIN = 28;
const SEED = 20_261_101;
const FACTOR = 1_664_525;
const STEP = 1_013_904_223;

/** Flat colours leave a model nothing to look at. */
function addGrain(context: CanvasRenderingContext2D): void {
  const pixels = context.getImageData(0, 0, WIDTH, HEIGHT);
  let random = SEED;
  for (let at = 0; at < pixels.data.length; at += 4) {
    random = (Math.imul(random, FACTOR) + STEP) >>> 0;
    const grain = (random / 2 ** 32 - 0.5) * GRAIN;
    for (let channel = at; channel < at + 3; channel += 1) {
      pixels.data[channel] = (pixels.data[channel] ?? 0) + grain;
    }
  }
  context.putImageData(pixels, 0, 0);
}

export async function drawSample(): Promise<File> {
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser draws no pictures');
  const sky = context.createLinearGradient(0, 0, 0, HEIGHT);
  sky.addColorStop(0, '#6c8fb8');
  sky.addColorStop(1, '#e9d9c0');
  context.fillStyle = sky;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  for (let index = 0; index < CIRCLES; index += 1) {
    context.fillStyle = `hsl(${index * HUE_STEP} 45% 55% / 0.35)`;
    context.beginPath();
    context.arc((index * 211) % WIDTH, (index * 157) % HEIGHT, 20 + ((index * 29) % 70), 0, 2 * Math.PI);
    context.fill();
  }
  addGrain(context);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', 0.9));
  if (blob === null) throw new Error('this browser writes no JPEG');
  return new File([blob], 'sample-drawing.jpg', { type: 'image/jpeg' });
}
