/** Checks the models and their devices: each by its golden outputs, which were made on a CPU. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Finding, ModelStatus } from '../../../domain/contract/appliance.ts';
import { type ModelPack, packKey } from '../../../domain/packs/model-pack.ts';
import { hasFallenBack, readStatus } from '../appliance.ts';
import type { ApplianceParts, DoctorConfig } from '../parts.ts';
import { bad, good, notice } from './finding.ts';

/** A hanging driver must not hang the examination. */
const TOOL_TIMEOUT_MS = 10_000;
const GPU_PROVIDERS = ['tensorrt', 'cuda', 'webgpu'];
const QUERY = ['--query-gpu=name,driver_version,memory.used,memory.total', '--format=csv,noheader'];

const run = promisify(execFile);

export async function checkModels(app: ApplianceParts, { providers }: DoctorConfig): Promise<Finding[]> {
  const { models, phase, notReadyReason } = await readStatus(app);
  if (models.length === 0) {
    const advice = 'look at the setting models.folders, and run `assay models verify`';
    return [bad('models', notReadyReason ?? phase, advice)];
  }
  const judged = new Map(app.shelf.installed.map(({ pack, report }) => [packKey(pack), { pack, report }]));
  return models.map((model) => {
    const { id, version, provider, preparing, fault } = model;
    const name = `model ${id}@${version}`;
    if (fault !== null) return bad(name, fault, 'install the pack again; the log says more');
    const installed = judged.get(`${id}@${version}`);
    const difference = describeDifference(installed?.report?.goldenError ?? null, installed?.pack);
    const found = `runs on ${provider ?? 'nothing yet'}${describePrecision(model)}, ${difference}`;
    if (preparing !== null) return good(name, `${found}; being prepared: ${preparing}`);
    if (installed === undefined || !hasFallenBack(installed, providers[0])) return good(name, found);
    const why = installed.report?.passedOver.join('; ') ?? '';
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

export async function checkGpu(app: ApplianceParts, { providers }: DoctorConfig): Promise<Finding[]> {
  const { models } = await readStatus(app);
  const used = new Set(models.map(({ provider }) => provider ?? 'none'));
  const isThere = existsSync('/dev/nvidia0');
  return [describeGpu({ isThere, seen: await askDriver(), used, providers })];
}

interface SeenGpu {
  /** Whether the daemon finds an NVIDIA card. */
  isThere: boolean;
  /** The output of the driver's own tool. */
  seen: string;
  /** Providers that run models at present. */
  used: ReadonlySet<string>;
  /** Providers in the settings. */
  providers: readonly string[];
}

export function describeGpu({ isThere, seen, used, providers }: SeenGpu): Finding {
  const where = `models run on ${[...used].join(', ') || 'none'}`;
  if (!isThere) return good('gpu', `none (${seen}); ${where}`);
  const found = `${seen}; ${where}`;
  if (GPU_PROVIDERS.some((provider) => used.has(provider))) return good('gpu', found);
  const asked = providers.filter((provider) => GPU_PROVIDERS.includes(provider));
  const advice =
    asked.length === 0
      ? 'set inference.providers = ["cuda", "cpu"] and install its libraries (docs/gpu.md)'
      : `the models above say what keeps them from ${asked.join(' and ')}; which library is missing stands in the log`;
  return notice('gpu', found, advice);
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
