/** A new file that is there whole under its name, or not at all. */
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { codeOf } from '../../domain/error-code.ts';
import { CliFailure, EXIT_CODES } from './failure.ts';

export class PartialFile implements AsyncDisposable {
  readonly #path: string;
  readonly #file: FileHandle;
  #isKept = false;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Throws a failure in words if it cannot be made. */
  static async create(path: string): Promise<PartialFile> {
    try {
      return new PartialFile(path, await open(`${path}.part`, 'wx', 0o600));
    } catch (error) {
      throw toWriteFailure(path, error);
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      await this.#file.writeFile(bytes);
    } catch (error) {
      throw toWriteFailure(this.#path, error);
    }
  }

  /** Gives it its name. */
  async keep(): Promise<void> {
    await this.#file.sync();
    await rename(`${this.#path}.part`, this.#path);
    this.#isKept = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
    if (!this.#isKept) await rm(`${this.#path}.part`, { force: true });
  }
}

function toWriteFailure(path: string, error: unknown): CliFailure {
  return new CliFailure(`${path} cannot be written: ${codeOf(error)}`, EXIT_CODES.someFailed, {
    cause: error,
  });
}
