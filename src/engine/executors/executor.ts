/** Carries out attempts: the children of this box, or workers on others. The engine does not know which. */
import type { WaitReason } from '../../domain/records/wait-reason.ts';
import type { AnalysisResult } from '../../domain/verdicts/result.ts';
import type { AnalysisFiles, Attempt } from '../analyses/analysis-parts.ts';

export interface Executor {
  /** Attempts that it can carry out at once at present. */
  readonly slots: number;
  /** Whether media leave this box for it. */
  readonly isElsewhere: boolean;
  /** Why it begins nothing; null if it only waits for its turn. */
  waitReason(): WaitReason | null;
  /** Throws MediaFaultError (the file), WorkerLostError (a process), ExecutorLostError (no file), AppError and AbortError. */
  execute(attempt: Attempt, files: AnalysisFiles): Promise<Execution>;
}

export interface Execution {
  result: AnalysisResult;
  /** Call it once: the end of the attempt is stored, or (false) the store failed and the attempt is made again. */
  settled: (isStored: boolean) => void;
}
