/** A voice of formants, made by rule, which the speech detector takes for speech, so that no recording is needed. */

/** Formants of a, e, i, o, u in Hz. */
const VOWELS: readonly (readonly [number, number, number])[] = [
  [730, 1090, 2440],
  [530, 1840, 2480],
  [270, 2290, 3010],
  [570, 840, 2410],
  [300, 870, 2240],
];
const BANDWIDTHS = [90, 110, 170] as const;
const SYLLABLE_SECONDS = 0.22;
/** Voiced share of a syllable; the rest is the closure of a consonant. */
const VOICED_SHARE = 0.78;

export interface VoiceRecipe {
  seconds: number;
  sampleRate?: number;
  /** Pitch of the speaker: about 110 for a low voice, 210 for a high one. */
  pitchHz?: number;
  amplitude?: number;
}

export function makeVoice({
  seconds,
  sampleRate = 16_000,
  pitchHz = 120,
  amplitude = 0.3,
}: VoiceRecipe): Float32Array {
  const samples = new Float32Array(Math.round(seconds * sampleRate));
  const resonators = BANDWIDTHS.map((bandwidth) => ({ bandwidth, before: 0, last: 0 }));
  let phase = 0;
  for (let time = 0; time < samples.length; time++) {
    const place = time / sampleRate / SYLLABLE_SECONDS;
    const syllable = Math.floor(place);
    const within = place - syllable;
    phase += (pitchHz * (1 + 0.12 * Math.sin(syllable * 1.7 + within))) / sampleRate;
    const isPulse = phase >= 1;
    if (isPulse) phase -= 1;
    const breath = 0.02 * noise(time);
    let sound = isPulse && within < VOICED_SHARE ? 1 : breath;
    for (const [index, resonator] of resonators.entries()) {
      const from = VOWELS[(syllable * 3) % VOWELS.length]?.[index] ?? 500;
      const to = VOWELS[((syllable + 1) * 3) % VOWELS.length]?.[index] ?? 500;
      sound = resonate(resonator, sound, from + (to - from) * within, sampleRate);
    }
    const envelope = within < VOICED_SHARE ? Math.sin((Math.PI * within) / VOICED_SHARE) ** 0.5 : 0.03;
    samples[time] = sound * envelope;
  }
  return normalise(samples, amplitude);
}

function resonate(
  state: { bandwidth: number; before: number; last: number },
  input: number,
  frequency: number,
  sampleRate: number,
): number {
  const radius = Math.exp((-Math.PI * state.bandwidth) / sampleRate);
  const turn = 2 * radius * Math.cos((2 * Math.PI * frequency) / sampleRate);
  const output = input * (1 - radius) + turn * state.last - radius ** 2 * state.before;
  state.before = state.last;
  state.last = output;
  return output;
}

/** -1 … 1, the same in every run. */
function noise(time: number): number {
  return ((time * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 30 - 1;
}

function normalise(samples: Float32Array, amplitude: number): Float32Array {
  const peak = samples.reduce((largest, sample) => Math.max(largest, Math.abs(sample)), 1e-9);
  return samples.map((sample) => (sample * amplitude) / peak);
}
