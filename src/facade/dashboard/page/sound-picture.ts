/** Draws a sound: its loudness over time, and its spectrum over time. */

function inkOf(canvas: HTMLCanvasElement): string {
  return getComputedStyle(canvas).color;
}

export function drawWave(canvas: HTMLCanvasElement, samples: Float32Array): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const { width, height } = canvas;
  context.clearRect(0, 0, width, height);
  context.fillStyle = inkOf(canvas);
  const step = samples.length / width;
  for (let x = 0; x < width; x += 2) {
    let peak = 0;
    const to = Math.min(samples.length, Math.ceil((x + 2) * step));
    for (let at = Math.floor(x * step); at < to; at += 1) peak = Math.max(peak, Math.abs(samples[at] ?? 0));
    const bar = Math.max(1, peak * height);
    context.fillRect(x, (height - bar) / 2, 1.2, bar);
  }
}

const WINDOW = 256;
const FLOOR_DB = -90;

/** Ink as strong as the sound is loud; low tones below. */
export function drawSpectrogram(canvas: HTMLCanvasElement, samples: Float32Array): void {
  const context = canvas.getContext('2d');
  if (context === null || samples.length < WINDOW) return;
  const { width, height } = canvas;
  const image = context.createImageData(width, height);
  const [red = 0, green = 0, blue = 0] =
    inkOf(canvas)
      .match(/[\d.]+/g)
      ?.map(Number) ?? [];
  for (let x = 0; x < width; x += 1) {
    const from = Math.floor((x / width) * (samples.length - WINDOW));
    const powers = spectrumOf(samples.subarray(from, from + WINDOW));
    for (let y = 0; y < height; y += 1) {
      const db =
        10 * Math.log10((powers[Math.floor(((height - 1 - y) / height) * (WINDOW / 2))] ?? 0) + 1e-12);
      const strength = Math.max(0, Math.min(1, 1 - db / FLOOR_DB));
      image.data.set([red, green, blue, strength * 255], (y * width + x) * 4);
    }
  }
  context.putImageData(image, 0, 0);
}

/** Power of each of WINDOW / 2 tones (radix-2 FFT under a Hann window). */
function spectrumOf(samples: Float32Array): Float64Array {
  const real = new Float64Array(WINDOW);
  const imaginary = new Float64Array(WINDOW);
  for (let at = 0; at < WINDOW; at += 1) {
    const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / WINDOW);
    real[reversed(at)] = (samples[at] ?? 0) * hann;
  }
  for (let size = 2; size <= WINDOW; size *= 2) {
    for (let from = 0; from < WINDOW; from += size) butterfly(real, imaginary, from, size);
  }
  return Float64Array.from({ length: WINDOW / 2 }, (_, tone) => {
    const [a, b] = [(real[tone] ?? 0) / (WINDOW / 4), (imaginary[tone] ?? 0) / (WINDOW / 4)];
    return a * a + b * b;
  });
}

function butterfly(real: Float64Array, imaginary: Float64Array, from: number, size: number): void {
  const half = size / 2;
  for (let k = 0; k < half; k += 1) {
    const angle = (-2 * Math.PI * k) / size;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const [low, high] = [from + k, from + k + half];
    const [a, b] = [real[high] ?? 0, imaginary[high] ?? 0];
    const [turnedReal, turnedImaginary] = [a * cos - b * sin, a * sin + b * cos];
    real[high] = (real[low] ?? 0) - turnedReal;
    imaginary[high] = (imaginary[low] ?? 0) - turnedImaginary;
    real[low] = (real[low] ?? 0) + turnedReal;
    imaginary[low] = (imaginary[low] ?? 0) + turnedImaginary;
  }
}

const BITS = Math.log2(WINDOW);

function reversed(index: number): number {
  let turned = 0;
  for (let bit = 0; bit < BITS; bit += 1) turned = (turned << 1) | ((index >> bit) & 1);
  return turned;
}
