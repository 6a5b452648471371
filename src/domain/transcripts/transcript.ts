/** What was said, as a model wrote it down, stored with the result. It changes no verdict; segments say how sure it was. */
import { z } from 'zod';

/** Two hours of the fastest speech give some 9,000 segments. */
export const TRANSCRIPT_SEGMENTS_MAX = 20_000;
/** Thirty seconds of speech are some 600 letters; a model cannot write more than this in one window. */
export const SEGMENT_CHARACTERS_MAX = 4000;
/** A record is shown in lists of a hundred and must fit into a message of 4 MB; the rest is fetched separately. */
export const RECORD_SEGMENTS_MAX = 100;
/** More than the channels with a voice of any sound. */
export const CHANNELS_MAX = 16;
/** Multiple of an analysis' time that the transcript of two hours of speech may take (two cores, the small model). */
export const TRANSCRIPT_TIMEOUTS = 4;

const seconds = z.number().min(0).max(1e9);
const probability = z.number().min(0).max(1);
/** ISO 639-1, or 639-2 if that has none. */
const language = z.string().regex(/^[a-z]{0,3}$/);

const transcriptSegmentSchema = z.strictObject({
  startSeconds: seconds,
  endSeconds: seconds,
  text: z.string().min(1).max(SEGMENT_CHARACTERS_MAX),
  /** Mean probability of its pieces of words. */
  confidence: probability,
  language,
  /** Its channel, from 1; absent if the channels do not hold different voices, and in transcripts of earlier versions. */
  channel: z.int().min(1).max(CHANNELS_MAX).exactOptional(),
});
/** A sentence or a part of one; seconds from the beginning of the sound. */
export type TranscriptSegment = z.infer<typeof transcriptSegmentSchema>;
/** As clients see it. */
export type ShownSegment = Omit<TranscriptSegment, 'channel'> & { channel: number | null };

export function toShownSegment(segment: TranscriptSegment): ShownSegment {
  return { ...segment, channel: segment.channel ?? null };
}

export const transcriptSchema = z.strictObject({
  model: z.string().max(200),
  version: z.string().max(200),
  /** The language of most of the text; empty without text. */
  language,
  /** Segments of all channels, by time. */
  segments: z.array(transcriptSegmentSchema).max(TRANSCRIPT_SEGMENTS_MAX),
  /** Seconds of speech without a credible text. */
  leftOutSeconds: seconds,
  /** Why it is incomplete; empty if it is whole. */
  fault: z.string().max(500),
  elapsedSeconds: seconds,
});
/** As it is stored. */
export type Transcript = z.infer<typeof transcriptSchema>;

/** The part of a transcript in a record: the beginning, and how much there is. */
export interface TranscriptSummary extends Omit<Transcript, 'elapsedSeconds' | 'segments'> {
  segments: ShownSegment[];
  segmentCount: number;
  wordCount: number;
}

export function summaryOf({ elapsedSeconds: _, ...transcript }: Transcript): TranscriptSummary {
  const { segments } = transcript;
  return {
    ...transcript,
    segments: segments.slice(0, RECORD_SEGMENTS_MAX).map(toShownSegment),
    segmentCount: segments.length,
    wordCount: segments.reduce((sum, { text }) => sum + countWords(text), 0),
  };
}

/** Each channel's whole text, a line each; one line if the channels were not heard apart. */
export function textOf(transcript: Transcript | undefined): string {
  const byChannel = Map.groupBy(transcript?.segments ?? [], ({ channel }) => channel);
  return [...byChannel.values()].map((segments) => segments.map(({ text }) => text).join(' ')).join('\n');
}

/** Finds text across two segments of one channel, in either case; not across two channels, which would be no one's words. */
export function isSaid(transcript: Transcript | undefined, text: string): boolean {
  return textOf(transcript).toLowerCase().includes(text.toLowerCase());
}

const WORDS = new Intl.Segmenter('und', { granularity: 'word' });

/** Counts words in scripts without spaces, too. */
export function countWords(text: string): number {
  let count = 0;
  for (const { isWordLike } of WORDS.segment(text)) if (isWordLike) count += 1;
  return count;
}

/** The language of most letters; empty for no text. */
export function mainLanguage(segments: readonly TranscriptSegment[]): string {
  const letters = new Map<string, number>();
  for (const { language: one, text } of segments) letters.set(one, (letters.get(one) ?? 0) + text.length);
  return [...letters].reduce((best, entry) => (entry[1] > best[1] ? entry : best), ['', 0])[0];
}
