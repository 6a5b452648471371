/** A new file that appears complete under its name, or not at all. */
import { access, type FileHandle, open, rename, rm } from 'node:fs/promises';
import { codeOf } from '../../domain/error-code.ts';
import { CliFailure, EXIT_CODES, throwIfInterrupted } from './failure.ts';

export class PartialFile implements AsyncDisposable {
  readonly path: string;
  readonly #file: FileHandle;
  #isKept = false;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  /** Throws a failure in words if it cannot be made or the name is taken. */
  static async create(path: string): Promise<PartialFile> {
    const file = await PartialFile.createFree(path);
    if (file !== undefined) return file;
    throw new CliFailure(`${path} is there already: name another file`, EXIT_CODES.someFailed);
  }

  /** Like create, but undefined if the name is taken or another process is writing it. */
  static async createFree(path: string): Promise<PartialFile | undefined> {
    const file = await open(partialName(path), 'wx', 0o600).catch((error: unknown) => {
      if (codeOf(error) === 'EEXIST') return undefined;
      throw toWriteFailure(path, error);
    });
    if (file === undefined) return undefined;
    const partial = new PartialFile(path, file);
    // Checked only now: a concurrent writer renames its file before it removes its partial one.
    if (!(await exists(path))) return partial;
    await partial[Symbol.asyncDispose]();
    return undefined;
  }

  /** Replaces the file that has the name, if there is one. */
  static async replace(path: string): Promise<PartialFile> {
    const file = await open(partialName(path), 'w', 0o600).catch((error: unknown) => {
      throw toWriteFailure(path, error);
    });
    return new PartialFile(path, file);
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      await this.#file.writeFile(bytes);
    } catch (error) {
      throw toWriteFailure(this.path, error);
    }
  }

  /** Gives it its name. */
  async keep(): Promise<void> {
    await this.#file.sync();
    await rename(partialName(this.path), this.path);
    this.#isKept = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
    if (!this.#isKept) await rm(partialName(this.path), { force: true });
  }
}

/** Saves pieces as a new file, opened with the first one, so that a refusal leaves none; throws if it was interrupted. */
export async function savePieces(
  pieces: AsyncIterable<{ chunk: Uint8Array }>,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  let file: PartialFile | undefined;
  for await (const { chunk } of pieces) {
    file ??= stack.use(await PartialFile.create(path));
    await file.write(chunk);
  }
  // An interrupted stream ends like a complete one.
  throwIfInterrupted(signal);
  await file?.keep();
}

const partialName = (path: string): string => `${path}.part`;

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

function toWriteFailure(path: string, error: unknown): CliFailure {
  return new CliFailure(`${path} cannot be written: ${codeOf(error)}`, EXIT_CODES.someFailed, {
    cause: error,
  });
}
