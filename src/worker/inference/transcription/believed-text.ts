/** Whether what the model wrote of a window is a text of what was said: a model that hears no words invents some. */
import { isInOwnScript } from '../../../domain/transcripts/scripts.ts';

/** The bounds are those of the model's makers. */
const COMPRESSION_MAX = 2.4;
const LOG_PROBABILITY_MIN = -1;
const NO_SPEECH_MAX = 0.6;
/** Measured: silence, noise, hum and music .74 and more, speech .57 and less; a text that it half believes is none then. */
const SILENT_LOG_PROBABILITY_MIN = -0.5;

export interface WrittenText {
  text: string;
  meanLogProbability: number;
  compression: number;
}

export interface Heard {
  language: string;
  /** Probability that there is no speech. */
  noSpeech: number;
}

export function isSilence({ meanLogProbability }: WrittenText, { noSpeech }: Heard): boolean {
  return noSpeech > NO_SPEECH_MAX && meanLogProbability < SILENT_LOG_PROBABILITY_MIN;
}

/** Neither repeats itself nor is hardly believed. */
export function isGood({ meanLogProbability, compression }: WrittenText): boolean {
  return compression <= COMPRESSION_MAX && meanLogProbability >= LOG_PROBABILITY_MIN;
}

export function isBelieved(written: WrittenText, heard: Heard): boolean {
  return isGood(written) && !isSilence(written, heard) && isInOwnScript(written.text, heard.language);
}
