import type { WaitReason, Worker } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { formatTable } from './table.ts';

export function describeWorkers(workers: readonly Worker[]): string {
  return formatTable(
    ['worker', 'state', 'running', 'done', 'failed', 'clock', 'version', 'device', 'models'],
    workers.map((worker) => [
      ...[worker.name, stateOf(worker), `${worker.running} of ${worker.places}`],
      ...[String(worker.done), String(worker.failed), `${worker.clockOffsetSeconds.toFixed(1)} s`],
      ...[worker.version, worker.devices.join('\n'), worker.packs.join('\n')],
    ]),
  );
}

function stateOf({ here, draining, drained, running, refusal }: Worker): string {
  if (drained) return `drained${running > 0 ? `, finishes ${running}` : ''}${here ? '' : ', not heard of'}`;
  if (refusal !== '') return `gets no work: ${refusal}`;
  if (!here) return 'not heard of';
  return draining ? 'draining' : 'here';
}

/** One line, or none if work only waits for its turn. */
export function describeWait(reason: WaitReason | undefined): string[] {
  return reason === undefined ? [] : [`what waits is not begun: ${reason.sentence}`];
}
