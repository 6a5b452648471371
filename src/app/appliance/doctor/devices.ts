/** The models, and what runs them: each by its golden outputs, which were made on a CPU. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Finding, ModelStatus } from '../../../domain/contract/appliance.ts';
import { type ModelPack, packKey, staysOnCpu } from '../../../domain/packs/model-pack.ts';
import { getStatus } from '../appliance.ts';
import type { ApplianceParts, DoctorConfig } from '../parts.ts';
import { bad, good, notice } from './finding.ts';

/** A driver that hangs must not hang the examination. */
const TOOL_TIMEOUT_MS = 10_000;
const QUERY = ['--query-gpu=name,driver_version,memory.used,memory.total', '--format=csv,noheader'];

const run = promisify(execFile);

export async function checkModels(app: ApplianceParts, { providers }: DoctorConfig): Promise<Finding[]> {
  const { models, phase, notReadyReason } = await getStatus(app);
  if (models.length === 0) {
    const advice = 'look at the setting models.folders, and run `assay models verify`';
    return [bad('models', notReadyReason ?? phase, advice)];
  }
  const judged = new Map(app.engine.installed.map(({ pack, report }) => [packKey(pack), { pack, report }]));
  return models.map((model) => {
    const { id, version, task, provider, preparing, fault } = model;
    const name = `model ${id}@${version}`;
    if (fault !== null) return bad(name, fault, 'install the pack again; the log says more');
    const { pack, report } = judged.get(`${id}@${version}`) ?? {};
    const difference = describeDifference(report?.goldenError ?? null, pack);
    const found = `runs on ${provider ?? 'nothing yet'}${describePrecision(model)}, ${difference}`;
    if (preparing !== null) return good(name, `${found}; being prepared: ${preparing}`);
    if (provider === null || provider === providers[0] || staysOnCpu(task)) return good(name, found);
    const why = report?.passedOver.join('; ') ?? '';
    return notice(name, found, `mend what keeps it from ${providers[0]}, or do not name that: ${why}`);
  });
}

function describePrecision({ precision, precisionNote }: ModelStatus): string {
  if (precision === 'half') return ' in half precision';
  return precisionNote === null ? '' : ` in full precision (${precisionNote})`;
}

function describeDifference(goldenError: number | null, pack: ModelPack | undefined): string {
  if (goldenError === null || pack === undefined) return 'not tested yet';
  const { tolerance } = pack.golden;
  return `differs from the CPU's golden outputs by ${goldenError.toPrecision(2)} (at most ${tolerance} is allowed)`;
}

export async function checkGpu(app: ApplianceParts): Promise<Finding[]> {
  const providers = new Set((await getStatus(app)).models.map(({ provider }) => provider ?? 'none'));
  const used = [...providers].join(', ') || 'none';
  const seen = await askDriver();
  if (!existsSync('/dev/nvidia0')) return [good('gpu', `none (${seen}); models run on ${used}`)];
  if (providers.has('cuda') || providers.has('tensorrt'))
    return [good('gpu', `${seen}; models run on ${used}`)];
  const advice =
    'set inference.providers = ["cuda", "cpu"] and install its libraries; the log says why one was not taken';
  return [notice('gpu', `${seen}; models run on ${used}`, advice)];
}

/** Name, driver and memory of each GPU, as the driver's own tool reports them. */
async function askDriver(): Promise<string> {
  try {
    const { stdout } = await run('nvidia-smi', QUERY, { timeout: TOOL_TIMEOUT_MS });
    return stdout.trim().split('\n').join('; ');
  } catch (error) {
    const { code, killed } = error as { code?: unknown; killed?: boolean };
    if (code === 'ENOENT') return 'nvidia-smi is not there';
    return killed === true ? 'nvidia-smi does not answer' : `nvidia-smi fails (${String(code)})`;
  }
}
