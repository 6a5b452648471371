/** The packs of this box, with the inference processes' reports on them. */
import { type ModelPack, packKey, staysOnCpu } from '../../domain/packs/model-pack.ts';
import type { LoadedPack, PackReport } from '../../worker/protocol/inference-protocol.ts';
import {
  comesWithAssay,
  type FoundPacks,
  findDetector,
  findPacks,
  type InstalledPack,
  isUsable,
  toLoadedPack,
} from './installed-packs.ts';
import type { PackStatus } from './pack-status.ts';

export class PackShelf {
  readonly #checksAllAtOnce: boolean;
  #found: FoundPacks | null = null;

  /** `checksAllAtOnce`: every pack is checked at the load, not at its first request. */
  constructor(checksAllAtOnce: boolean) {
    this.#checksAllAtOnce = checksAllAtOnce;
  }

  /** Null until the folders have been read. */
  get usable(): InstalledPack[] | null {
    return this.#found === null ? null : this.#found.installed.filter(isUsable);
  }

  /** Every pack whose files are whole. */
  get installed(): readonly InstalledPack[] {
    return this.#found?.installed ?? [];
  }

  async read(modelFolders: readonly string[]): Promise<void> {
    this.#found = await lookFor(modelFolders);
  }

  /** Removed packs are unused at once; new ones only after `load` has brought them into every process. */
  async readAgain(
    modelFolders: readonly string[],
    load: (packs: LoadedPack[]) => Promise<readonly PackReport[]>,
  ): Promise<void> {
    const found = await lookFor(modelFolders);
    const keys = new Set(found.installed.map(({ pack }) => packKey(pack)));
    const { installed = [], refused = [] } = this.#found ?? {};
    this.#found = { installed: installed.filter(({ pack }) => keys.has(packKey(pack))), refused };
    const reports = await load(this.#toLoad(found.installed));
    this.#found = found;
    this.applyReports(reports);
  }

  toLoad(): LoadedPack[] {
    return this.#toLoad(this.installed);
  }

  #toLoad(installed: readonly InstalledPack[]): LoadedPack[] {
    if (this.#checksAllAtOnce)
      return installed.map((pack) => ({ ...toLoadedPack(pack), isCheckedLate: false }));
    return installed.map((pack) => ({
      ...toLoadedPack(pack),
      ...(comesWithAssay(pack.folder) ? { isProvedNext: true } : {}),
    }));
  }

  find(key: string): InstalledPack | undefined {
    return this.usable?.find(({ pack }) => packKey(pack) === key);
  }

  /** SHA-256 of the packs' model files, by key; unusable packs are left out. */
  digestsOf(keys: readonly string[]): Record<string, string> {
    const found = keys.flatMap((key) => this.find(key) ?? []);
    return Object.fromEntries(found.map(({ pack }) => [packKey(pack), pack.sha256]));
  }

  /** Takes the reports of a started process; the latest counts, since a device can go away. */
  applyReports(reports: readonly PackReport[]): void {
    for (const installed of this.#found?.installed ?? []) {
      installed.report = reports.find(({ key }) => key === packKey(installed.pack)) ?? installed.report;
    }
  }

  status(): PackStatus[] {
    if (this.#found === null) return [];
    const installed = this.#found.installed.map(({ pack, report }) => ({
      ...describe(pack),
      provider: report?.provider ?? null,
      fault: report?.fault ?? null,
    }));
    const refused = this.#found.refused.map(({ id, version, task, fault, folder }) => ({
      id: id === '' ? folder : id,
      version,
      task,
      provider: null,
      fault,
    }));
    return [...installed, ...refused];
  }

  /** Why a box that must use its GPU may not start; null if every model that belongs on a GPU runs on one. */
  describeCpuFallback(): string | null {
    const fallen = this.installed.filter(
      ({ pack, report }) => report?.provider === 'cpu' && !staysOnCpu(pack),
    );
    if (fallen.length === 0) return null;
    const byReason = Map.groupBy(fallen, ({ report }) => describeFallback(report));
    const reasons = [...byReason].map(
      ([reason, packs]) => `${packs.map(({ pack }) => pack.id).join(', ')} (${reason})`,
    );
    return `accelerator.require is gpu, and the CPU runs ${reasons.join('; ')}`;
  }

  describeEmptiness(modelFolders: readonly string[]): string {
    const faults = this.status().flatMap(({ id, fault }) => (fault === null ? [] : [`${id}: ${fault}`]));
    const where = modelFolders.join(', ');
    return faults.length === 0 ? `no model pack in ${where}` : `no usable model pack: ${faults.join('; ')}`;
  }
}

async function lookFor(modelFolders: readonly string[]): Promise<FoundPacks> {
  const [found, detector] = await Promise.all([findPacks(modelFolders), findDetector()]);
  return {
    installed: [...found.installed, ...detector.installed],
    refused: [...found.refused, ...detector.refused],
  };
}

function describeFallback(report: PackReport | null): string {
  if (report?.preparing !== undefined) return `being prepared: ${report.preparing}`;
  return report?.passedOver.join('; ') ?? '';
}

function describe({ id, version, task }: ModelPack): Pick<PackStatus, 'id' | 'version' | 'task'> {
  return { id, version, task };
}
