/** A picture to try the box with, drawn by the browser: nothing of anybody's is needed for it. */

const WIDTH = 960;
const HEIGHT = 640;
const CIRCLES = 60;
const HUE_STEP = 137.5;

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
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', 0.9));
  if (blob === null) throw new Error('this browser writes no JPEG');
  return new File([blob], 'sample-drawing.jpg', { type: 'image/jpeg' });
}
