import type { ReportStep } from '../media/progress.ts';
import type { RenderRequest } from '../protocol/decode-protocol.ts';

export interface RenderWork {
  path: string;
  outFolder: string;
  limits: RenderRequest['limits'];
  report: ReportStep;
}
