/** Workers on other boxes as a table. */
import type { Worker } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { formatTable } from './record-view.ts';

export function describeWorkers(workers: readonly Worker[]): string {
  return formatTable(
    ['worker', 'state', 'running', 'done', 'failed', 'clock', 'version', 'models'],
    workers.map((worker) => [
      ...[worker.name, stateOf(worker), `${worker.running} of ${worker.places}`],
      ...[String(worker.done), String(worker.failed), `${worker.clockOffsetSeconds.toFixed(1)} s`],
      ...[worker.version, worker.packs.join('\n')],
    ]),
  );
}

function stateOf({ here, draining, refusal }: Worker): string {
  if (refusal !== '') return `gets no work: ${refusal}`;
  if (!here) return 'not heard of';
  return draining ? 'draining' : 'here';
}
