/** What is said beside the player: a machine's words, line by line; a click plays from there. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Transcript, TranscriptSegment } from '../gen/documents.ts';
import { formatNumber, formatSeconds } from '../parts/format.ts';
import { t } from '../texts/language.ts';

/** Below it a line is shown as a guess. */
const SURE_MIN = 0.5;
const FILES = ['srt', 'vtt', 'txt', 'json'] as const;

interface TranscriptProps {
  /** Identifier of the recording, or of a film's track. */
  identifier: string;
  transcript: Transcript | null;
  now: number;
  onPlay: (seconds: number) => void;
}

export function TranscriptPanel({
  identifier,
  transcript,
  now,
  onPlay,
}: TranscriptProps): JSX.Element | null {
  const [all, setAll] = useState<readonly TranscriptSegment[] | null>(null);
  const [hasFailed, setFailed] = useState(false);
  if (transcript === null) return null;
  const { segmentCount, leftOutSeconds, fault, language, model } = transcript;
  const segments = all ?? transcript.segments;
  const load = (): void => {
    fetchAll(identifier).then(setAll, () => setFailed(true));
  };
  return (
    <section class="transcript" aria-label={t('transcript')}>
      <h3>{t('transcript')}</h3>
      {segmentCount === 0 ? (
        <p class="quiet">{t('transcriptNone')}</p>
      ) : (
        <p class="quiet">{t('transcriptLead', { model, language })}</p>
      )}
      <TranscriptLines {...{ segments, now, onPlay }} />
      {segments.length < segmentCount && (
        <button type="button" class="button link" onClick={load}>
          {t('transcriptMore', { count: segmentCount })}
        </button>
      )}
      {hasFailed && <p role="alert">{t('transcriptFailed')}</p>}
      {leftOutSeconds > 0 && (
        <p class="quiet">{t('transcriptLeftOut', { seconds: formatNumber(leftOutSeconds, 1) })}</p>
      )}
      {fault !== '' && <p class="quiet">{t('transcriptFault', { fault })}</p>}
      {segmentCount > 0 && (
        <p class="quiet">
          {FILES.map((file) => (
            <a key={file} class="transcript-file" href={`/media/${identifier}/transcript.${file}`} download>
              {file.toUpperCase()}
            </a>
          ))}
        </p>
      )}
    </section>
  );
}

export function TranscriptLines({
  segments,
  now,
  onPlay,
}: {
  segments: readonly TranscriptSegment[];
  now: number;
  onPlay: (seconds: number) => void;
}): JSX.Element {
  return (
    <ol class="transcript-lines">
      {segments.map(({ startSeconds, endSeconds, text, confidence, language, channel }, index) => (
        <li key={index} class={now >= startSeconds && now < endSeconds ? 'spoken' : undefined}>
          <button
            type="button"
            aria-label={nameOf({ startSeconds, text, channel })}
            onClick={() => onPlay(startSeconds)}
          >
            <span class="figure quiet">{formatSeconds(startSeconds)}</span>
            <ChannelMark channel={channel} />
            <span
              lang={language}
              dir="auto"
              class={confidence < SURE_MIN ? 'unsure' : undefined}
              title={confidence < SURE_MIN ? t('transcriptUnsure') : undefined}
            >
              {text}
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}

/** Whose words a line holds, where the channels hold different voices. */
export function ChannelMark({ channel }: Pick<TranscriptSegment, 'channel'>): JSX.Element | null {
  if (channel === null) return null;
  return <span class="transcript-channel quiet">{t('transcriptChannel', { channel })}</span>;
}

function nameOf({
  startSeconds,
  text,
  channel,
}: Pick<TranscriptSegment, 'startSeconds' | 'text' | 'channel'>): string {
  const said = channel === null ? text : `${t('transcriptChannel', { channel })}: ${text}`;
  return t('transcriptPlay', { at: formatSeconds(startSeconds), text: said });
}

interface WrittenSegment extends Omit<TranscriptSegment, 'startSeconds' | 'endSeconds' | 'channel'> {
  start: number;
  end: number;
  channel?: number;
}

async function fetchAll(identifier: string): Promise<TranscriptSegment[]> {
  const response = await fetch(`/media/${identifier}/transcript.json`);
  if (!response.ok) throw new Error(`the transcript answered ${response.status}`);
  const { segments } = (await response.json()) as { segments: WrittenSegment[] };
  return segments.map(({ start, end, channel = null, ...segment }) => ({
    ...segment,
    startSeconds: start,
    endSeconds: end,
    channel,
  }));
}
