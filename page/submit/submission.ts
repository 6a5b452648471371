/** What is asked of the next submission. The options stay with this browser; the reference belongs to one story and is not remembered. */
import { TRANSCRIPT_LANGUAGES } from '../../src/domain/transcripts/languages.ts';
import { ANALYSES } from '../gen/analyses.ts';
import type { AnalysisOptionsInput } from '../gen/documents.ts';
import { Cell } from '../state/cell.ts';
import { read, write } from '../state/theme.ts';
import type { SubmitOptions } from './uploads.ts';

export const FRAME_COUNTS = [5, 10, 30] as const;

export const OPTION_NAMES: ReadonlyMap<string, (typeof ANALYSES)[number][1]> = new Map(
  ANALYSES.map(([analysis, option]) => [analysis, option] as const),
);

const STORAGE_KEY = 'assay.submission';
const INITIAL: AnalysisOptionsInput = { withHeatmap: true, withAudio: true, frames: 10 };

export const submission = new Cell<SubmitOptions>({
  refId: '',
  noCache: false,
  deskId: '',
  options: remembered(read(STORAGE_KEY)),
});

export function chooseSubmission(next: SubmitOptions): void {
  submission.set(next);
  write(STORAGE_KEY, JSON.stringify(next.options));
}

/** Only what this version knows: an older one, or somebody's hand, may have written it. */
export function remembered(text: string | null): AnalysisOptionsInput {
  if (text === null) return INITIAL;
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    return INITIAL;
  }
  if (typeof stored !== 'object' || stored === null) return INITIAL;
  const said = stored as Record<string, unknown>;
  const flags = [...OPTION_NAMES.values(), 'preventC2paForces'] as const;
  const known = flags.flatMap((name) => (typeof said[name] === 'boolean' ? [[name, said[name]]] : []));
  const frames = FRAME_COUNTS.find((count) => count === said.frames) ?? INITIAL.frames;
  const spoken = TRANSCRIPT_LANGUAGES.find((code) => code === said.transcriptLanguage);
  return {
    ...INITIAL,
    ...Object.fromEntries(known),
    frames,
    ...(spoken === undefined || said.withTranscript !== true ? {} : { transcriptLanguage: spoken }),
  };
}
