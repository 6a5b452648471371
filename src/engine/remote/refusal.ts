/** Why a worker gets no work: what of it is not as this box has it. Pure. */
import { goldenDifference } from '../../domain/packs/golden-difference.ts';
import { VERSION } from '../../domain/version.ts';
import { GOLDEN_OUTPUTS_MAX, type Hello } from './messages.ts';

/** A pack that a worker must have, byte for byte. */
export interface WantedPack {
  key: string;
  sha256: string;
  /** As this box's own copy states them. */
  golden: { tolerance: number; expected: readonly number[] };
}

export function versionRefusal(version: string): string | null {
  return version === VERSION ? null : `it is version ${version}, and the daemon ${VERSION}`;
}

/** Null if it may have work. */
export function refusalOf({ version, packs }: Hello, wanted: readonly WantedPack[]): string | null {
  const outdated = versionRefusal(version);
  if (outdated !== null) return outdated;
  if (packs.length === 0) return 'it has loaded no packs yet';
  for (const pack of wanted) {
    const found = packs.find(({ key }) => key === pack.key);
    if (found === undefined) return `it lacks the pack ${pack.key}`;
    const fault = packFault(found, pack);
    if (fault !== null) return `its pack ${pack.key} ${fault}`.slice(0, SENTENCE_MAX);
  }
  const extra = packs.find(({ key }) => !wanted.some((pack) => pack.key === key));
  return extra === undefined ? null : `it has the pack ${extra.key}, which the daemon lacks`;
}

/** Length of a refusal sent to the worker, characters. */
const SENTENCE_MAX = 500;

/** The outputs are compared here: whether they are good is not for the worker to say. */
function packFault(found: Hello['packs'][number], { sha256, golden }: WantedPack): string | null {
  if (found.sha256 !== sha256) return 'has other bytes';
  if (found.fault !== null) return `is out of service: ${found.fault}`;
  if (found.goldenOutputs === null) return 'has not given its golden outputs';
  const { tolerance, expected } = golden;
  const { largest, index } = goldenDifference(found.goldenOutputs, expected.slice(0, GOLDEN_OUTPUTS_MAX));
  if (largest <= tolerance) return null;
  const by = Number.isFinite(largest) ? `differs by ${largest.toPrecision(3)} from` : 'lacks';
  return `${by} golden output ${index + 1}, at most ${tolerance} is allowed`;
}
