import type { MediaKind } from '../../domain/media/media.ts';
import type { AnalysisResult } from '../../domain/verdicts/result.ts';
import { analyseAudio } from '../analyses/analyse-audio.ts';
import { analyseImage } from '../analyses/analyse-image.ts';
import { analyseVideo } from '../analyses/analyse-video.ts';
import type { AnalysisParts, Attempt } from '../analyses/analysis-parts.ts';

const ANALYSES: Readonly<
  Record<MediaKind, (parts: AnalysisParts, attempt: Attempt) => Promise<AnalysisResult>>
> = { image: analyseImage, audio: analyseAudio, video: analyseVideo };

export async function analyse(parts: AnalysisParts, attempt: Attempt): Promise<AnalysisResult> {
  return await ANALYSES[attempt.analysis.kind](parts, attempt);
}
