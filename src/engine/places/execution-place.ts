/**
 * Where an attempt at an analysis is carried out: in the children of this box, or by a worker on another one. The engine
 * does not know which; the executor sees the job, its original and a place for the files that it makes.
 */
import type { AnalysisResult } from '../../domain/verdicts/result.ts';
import type { AnalysisFiles, Attempt } from '../analyses/analysis-parts.ts';

export interface ExecutionPlace {
  /**
   * Runs an analysis whose file is known. Throws MediaFaultError for the file's fault, WorkerLostError if a process was
   * lost over it, AppErrors, and AbortError when the attempt's signal aborts.
   */
  analyse(attempt: Attempt, files: AnalysisFiles): Promise<AnalysisResult>;
}
