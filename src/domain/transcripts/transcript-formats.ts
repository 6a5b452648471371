/** A transcript as files: subtitles, plain text, and JSON for programs. Pure. */
import type { Transcript, TranscriptSegment } from './transcript.ts';

export const TRANSCRIPT_FORMATS = ['srt', 'vtt', 'text', 'json'] as const;
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

export const TRANSCRIPT_FILES = {
  srt: { name: 'transcript.srt', mime: 'application/x-subrip' },
  vtt: { name: 'transcript.vtt', mime: 'text/vtt' },
  text: { name: 'transcript.txt', mime: 'text/plain' },
  json: { name: 'transcript.json', mime: 'application/json' },
} as const satisfies Record<TranscriptFormat, { name: string; mime: string }>;

/** A subtitle must stay long enough to be read. */
const SHOWN_SECONDS_MIN = 0.5;

export function formatTranscript(transcript: Transcript, format: TranscriptFormat): string {
  switch (format) {
    case 'srt':
      return transcript.segments.map(toSubRip).join('\n');
    case 'vtt':
      return toWebVtt(transcript);
    case 'text':
      return toPlainText(transcript);
    case 'json':
      return toJson(transcript);
  }
}

function machineNote({ model, version, language, fault }: Transcript): string {
  const spoken = language === '' ? '' : `, language ${language}`;
  const rest = fault === '' ? '' : ` Not whole: ${fault}.`;
  return `Written by a machine (${model} ${version}${spoken}); it may be wrong.${rest}`;
}

function toSubRip(segment: TranscriptSegment, index: number): string {
  return `${index + 1}\n${spanOf(segment, ',')}\n${spokenLine(segment)}\n`;
}

function toWebVtt(transcript: Transcript): string {
  const cues = transcript.segments.map((segment) => `${spanOf(segment, '.')}\n${toCue(segment)}\n`);
  return ['WEBVTT\n', `NOTE ${oneLine(machineNote(transcript))}\n`, ...cues].join('\n');
}

/** With the tag by which WebVTT names a voice. */
function toCue({ channel, text }: TranscriptSegment): string {
  return channel === undefined ? escaped(text) : `<v ${nameOf(channel)}>${escaped(text)}`;
}

/** SubRip and plain text have no tag for speakers, so a name and a colon are written. */
function spokenLine({ channel, text }: TranscriptSegment): string {
  return channel === undefined ? oneLine(text) : `${nameOf(channel)}: ${oneLine(text)}`;
}

const nameOf = (channel: number): string => `Channel ${channel}`;

function toPlainText(transcript: Transcript): string {
  const lines = transcript.segments.map(
    (segment) => `[${clock(segment.startSeconds)}] ${spokenLine(segment)}`,
  );
  return [machineNote(transcript), '', ...lines, ''].join('\n');
}

function toJson({ segments, ...transcript }: Transcript): string {
  const document = {
    format: 1,
    machineWritten: true,
    ...transcript,
    segments: segments.map(({ startSeconds, endSeconds, ...segment }) => ({
      start: startSeconds,
      end: endSeconds,
      ...segment,
    })),
  };
  return `${JSON.stringify(document)}\n`;
}

function spanOf({ startSeconds, endSeconds }: TranscriptSegment, point: string): string {
  const end = Math.max(endSeconds, startSeconds + SHOWN_SECONDS_MIN);
  return `${moment(startSeconds, point)} --> ${moment(end, point)}`;
}

/** `00:01:02,345`. */
function moment(seconds: number, point: string): string {
  const milliseconds = Math.round(seconds * 1000);
  const rest = String(milliseconds % 1000).padStart(3, '0');
  return `${clock(Math.floor(milliseconds / 1000))}${point}${rest}`;
}

function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** An empty line would end a subtitle. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** These characters begin tags and arrows in WebVTT. */
function escaped(text: string): string {
  return oneLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
