/** Remembers which packs gave their golden outputs here: a start does not wait for them; a first request checks. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { codeOf } from '../../domain/error-code.ts';
import { VERSION } from '../../domain/version.ts';
import { PROGRAM_FOLDER } from '../../machinery/program-folder.ts';
import type { LoadedPack, PackReport, RememberedCheck } from '../../worker/protocol/inference-protocol.ts';

/** Conditions of a model's outputs, besides the pack and the box. */
export interface CheckTerms {
  providers: readonly string[];
  threads: number;
  batchMax: number;
}

/** Only checks on the CPU are remembered: a GPU, its driver and its libraries can change under the same name. */
const REMEMBERED_PROVIDER = 'cpu';
/** Packs of one box, with older versions of them. */
const CHECKS_MAX = 256;
const FILE_BYTES_MAX = 65_536;
const CPU_INFO = '/proc/cpuinfo';
/** Lines of a processor's description that vary with time or core. */
const VOLATILE_LINE = /^(processor|cpu MHz|bogomips|BogoMIPS|core id|apicid|initial apicid|physical id)\s*:/;

const fileSchema = z.object({
  checks: z.record(z.string().regex(/^[0-9a-f]{64}$/), z.number().nonnegative()),
});

export class CheckMemory {
  readonly #path: string;
  readonly #box: string;
  /** The difference of the golden outputs, by digest of all conditions; the newest last. */
  readonly #checks: Map<string, number>;
  readonly #failed: (error: unknown) => void;
  #isChanged = false;
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    path: string,
    box: string,
    checks: Map<string, number>,
    failed: (error: unknown) => void,
  ) {
    this.#path = path;
    this.#box = box;
    this.#checks = checks;
    this.#failed = failed;
  }

  /** `failed` gets the fault that kept the file from being read or written: the checks are run then. */
  static async open(path: string, failed: (error: unknown) => void): Promise<CheckMemory> {
    const box = describeBox().catch((error: unknown) => {
      failed(error);
      return '';
    });
    const checks = readChecks(path).catch((error: unknown) => {
      failed(error);
      return new Map<string, number>();
    });
    return new CheckMemory(path, await box, await checks, failed);
  }

  /** The packs that need no check before the box is ready. */
  recall(packs: readonly LoadedPack[], terms: CheckTerms): RememberedCheck[] {
    if (!this.#isKept(terms)) return [];
    return packs.flatMap((pack) => {
      const goldenError = this.#checks.get(this.#keyOf(pack, terms));
      return goldenError === undefined || goldenError > pack.golden.tolerance
        ? []
        : [{ key: pack.key, goldenError }];
    });
  }

  remember(packs: readonly LoadedPack[], reports: readonly PackReport[], terms: CheckTerms): void {
    if (!this.#isKept(terms)) return;
    for (const { key, provider, fault, goldenError } of reports) {
      const pack = packs.find((candidate) => candidate.key === key);
      if (pack === undefined || provider !== REMEMBERED_PROVIDER || fault !== null || goldenError === null)
        continue;
      const digest = this.#keyOf(pack, terms);
      if (this.#checks.has(digest)) continue;
      this.#checks.set(digest, goldenError);
      this.#isChanged = true;
    }
    for (const oldest of [...this.#checks.keys()].slice(0, -CHECKS_MAX)) this.#checks.delete(oldest);
    this.#keep();
  }

  /** Lets the next start check the pack. */
  forget(packs: readonly LoadedPack[], key: string, terms: CheckTerms): void {
    const pack = packs.find((candidate) => candidate.key === key);
    if (pack !== undefined && this.#checks.delete(this.#keyOf(pack, terms))) this.#isChanged = true;
    this.#keep();
  }

  /** Resolves once the file is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  #keep(): void {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    this.#writing = this.#writing.then(() => this.#write()).catch(this.#failed);
  }

  /** Nothing is kept of a box that could not be described. */
  #isKept({ providers }: CheckTerms): boolean {
    return this.#box !== '' && providers.length === 1 && providers[0] === REMEMBERED_PROVIDER;
  }

  #keyOf(pack: LoadedPack, { threads, batchMax }: CheckTerms): string {
    return createHash('sha256')
      .update(JSON.stringify([this.#box, pack, threads, batchMax]))
      .digest('hex');
  }

  async #write(): Promise<void> {
    const partial = `${this.#path}.new`;
    await mkdir(dirname(this.#path), { recursive: true });
    await rm(partial, { force: true });
    const text = JSON.stringify({ checks: Object.fromEntries(this.#checks) });
    await writeFile(partial, text, { mode: 0o600, flag: 'wx' });
    await rename(partial, this.#path);
  }
}

async function readChecks(path: string): Promise<Map<string, number>> {
  try {
    const text = await readFile(path, 'utf8');
    if (text.length > FILE_BYTES_MAX) throw new Error(`${path} is larger than what is kept in it`);
    return new Map(Object.entries(fileSchema.parse(JSON.parse(text)).checks));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return new Map();
    throw error;
  }
}

/** Another processor, runtime or release computes by other instructions. */
async function describeBox(): Promise<string> {
  const [cpu, runtime] = await Promise.all([
    readFile(CPU_INFO, 'utf8'),
    readFile(join(PROGRAM_FOLDER, 'node_modules', 'onnxruntime-node', 'package.json'), 'utf8'),
  ]);
  const [first = ''] = cpu.split('\n\n');
  const lines = first.split('\n').filter((line) => !VOLATILE_LINE.test(line));
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(runtime));
  return JSON.stringify([VERSION, version, process.version, process.arch, lines]);
}
