/** What a rendition is made from, and where to. */
import type { RenderRequest } from '../protocol.ts';
import type { ReportStep } from '../steps/progress.ts';

export interface RenderWork {
  path: string;
  outFolder: string;
  limits: RenderRequest['limits'];
  report: ReportStep;
}
