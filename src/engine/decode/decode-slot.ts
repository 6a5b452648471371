/** A decode child with its folders `in/` and `out/`; it is killed with its slot if it crashed, hung or sent nonsense. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, rmdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../domain/error-code.ts';
import { isExhausted } from '../../domain/errors.ts';
import type { TrustMaterial } from '../../domain/provenance/trust-list.ts';
import { outFile } from '../../domain/verdicts/result.ts';
import { SafeFolder } from '../../machinery/safe-folder.ts';
import type { OpenFile } from '../../store/artifacts.ts';
import type { DecodeRequest, SentRequest } from '../../worker/protocol/decode-protocol.ts';
import type { DecodeAnswer, DecodedFrame, PatchedPicture } from '../../worker/protocol/decoded-media.ts';
import { SlotFile } from '../../worker/protocol/slot-file.ts';
import { describeExit } from '../children/child-exit.ts';
import { forwardLines } from '../children/child-log.ts';
import { isStopped, watchPulse } from '../children/pulse.ts';
import { AbortError, MediaFaultError, type WorkerLoss, WorkerLostError } from '../children/worker-errors.ts';
import type { CopyRoom } from './copy-room.ts';
import { type DecodeMessage, parseDecodeAnswer, parseDecodeMessage } from './decode-answer.ts';
import {
  type ChildBounds,
  type DecodeProgram,
  decodeCommand,
  type Isolation,
  reachesOriginals,
} from './isolation.ts';
import { type InputOptions, placeInput } from './place-input.ts';

export interface DecodeSlotConfig extends DecodeProgram {
  /** The slot's own folder; made here and removed with the slot. */
  folder: string;
  isolation: Isolation;
  bounds: ChildBounds;
  /** For inputs that have to be copied. */
  copyRoom: CopyRoom;
  timeoutMs: number;
  /** Longest start of a child; `timeoutMs` if absent. */
  startTimeoutMs?: number;
  log: (line: string) => void;
}

type WithoutId<T> = T extends { id: number } ? Omit<T, 'id'> : never;
/** A request of the protocol; the slot numbers it. */
export type DecodeWork = WithoutId<DecodeRequest>;

export type DecodeProgress = Extract<DecodeMessage, { type: 'progress' }>;

export interface RequestOptions {
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
  onProgress?: (progress: DecodeProgress) => void;
  /** Called with each frame of a video once it is written, before the answer. Must not throw. */
  onFrame?: (frame: DecodedFrame) => void;
  /** Called once the patches of a picture are written, before the answer. Must not throw. */
  onPatched?: (picture: PatchedPicture) => void;
}

export interface AnalysisSlot extends Pick<DecodeSlot, 'placeInput' | 'request' | 'outPath'> {
  openOut(file: string): OpenFile & Disposable;
}

/** The request under way; `id` 0 is the wait for `ready`. */
interface Waiting {
  id: number;
  asked: DecodeWork['type'] | 'start';
  onProgress: ((progress: DecodeProgress) => void) | undefined;
  onFrame: ((frame: DecodedFrame) => void) | undefined;
  onPatched: ((picture: PatchedPicture) => void) | undefined;
  /** False for another kind of answer. */
  accept: (response: DecodeMessage) => boolean;
  reject: (error: Error) => void;
}

/** Never the file's own name: some demuxers act on endings (FFmpeg opens what a .m3u8 or .ffconcat lists). */
export const INPUT_NAME = 'input';
/** Real films have some hundred frames and patches. */
const NAMES_MAX = 10_000;
/** Names removed after a lost child; the next start sweeps the rest. */
const LEFT_NAMES_MAX = 200_000;
const REMOVAL_TRIES_MAX = 5;
const REMOVAL_PAUSE_MS = 20;

function withoutTrust(request: DecodeRequest): SentRequest {
  if (!('trust' in request)) return request;
  const { trust: _, ...rest } = request;
  return rest;
}

/** Opened before the child starts, so that exchanging them changes nothing. */
interface SlotFolders {
  own: SafeFolder;
  in: SafeFolder;
  out: SafeFolder;
}

export class DecodeSlot implements AsyncDisposable {
  readonly #config: DecodeSlotConfig;
  readonly #folders: SlotFolders;
  readonly #child: ChildProcess;
  readonly #ended = Promise.withResolvers<void>();
  #waiting: Waiting | null = null;
  #loss: WorkerLostError | null = null;
  #requestCount = 0;
  #isRetired = false;
  #keepsPicture = false;
  #trust: TrustMaterial | null = null;
  #removal: Promise<void> | null = null;

  private constructor(config: DecodeSlotConfig, folders: SlotFolders) {
    this.#config = config;
    this.#folders = folders;
    const { file, args, cwd, env } = decodeCommand(config.isolation, config.folder, config.bounds, config);
    // The channel uses JSON: the child may be hostile, and a JSON parser is the smaller door.
    const stdio = ['ignore', 'ignore', 'pipe', 'ipc'] as const;
    this.#child = spawn(file, args, { cwd, env, stdio: [...stdio], serialization: 'json' });
    if (this.#child.stderr !== null) forwardLines(this.#child.stderr, config.log);
    this.#child.on('message', (message) => this.#receive(message));
    this.#child.on('error', (error) => this.#fail(error));
    this.#child.on('exit', (code, signal) => this.#end(describeExit(code, signal)));
  }

  static async open(config: DecodeSlotConfig): Promise<DecodeSlot> {
    await mkdir(config.folder, { recursive: true });
    const own = await SafeFolder.open(config.folder);
    const folders = { own, in: await own.openBelow('in', true), out: await own.openBelow('out', true) };
    const slot = new DecodeSlot(config, folders);
    try {
      const timeoutMs = config.startTimeoutMs ?? config.timeoutMs;
      await slot.#await(0, 'start', { timeoutMs }, ({ type }) => (type === 'ready' ? type : null));
      return slot;
    } catch (error) {
      await slot[Symbol.asyncDispose]();
      throw error;
    }
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** False once the child is lost; it never becomes true again. */
  get isUsable(): boolean {
    return this.#loss === null;
  }

  get loss(): WorkerLostError | null {
    return this.#loss;
  }

  get requestCount(): number {
    return this.#requestCount;
  }

  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Marks the child as unfit for other work. */
  retire(): void {
    this.#isRetired = true;
  }

  /** Puts a file into `in/`, once for all requests about it; returns its name there. Several files need different names. */
  async placeInput(
    path: string,
    { name = INPUT_NAME, ...options }: InputOptions & { name?: string } = {},
  ): Promise<string> {
    const { isolation, copyRoom: room } = this.#config;
    const target = this.#folders.in.within(name);
    const place = () =>
      placeInput({ path, ...options }, target, { isCopied: reachesOriginals(isolation), room });
    try {
      await place();
    } catch (error) {
      // Placed before, or by a child whose wall does not keep it from doing so.
      if (codeOf(error) !== 'EEXIST') throw error;
      await unlink(target);
      await place();
    }
    return name;
  }

  /** Puts bytes of the daemon's own into `in/`, beside the input; returns their name. */
  async placeBytes(name: string, bytes: Uint8Array): Promise<string> {
    const target = this.#folders.in.within(name);
    await unlink(target).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
    await writeFile(target, bytes, { mode: 0o644, flag: 'wx' });
    return name;
  }

  /** Opens a file that the child wrote. Throws WorkerLostError if it is no plain file: a link could lead anywhere. */
  openOut(file: string): SlotFile {
    const fault = (message: string) => this.#lose('broken', `the decoder left something else: ${message}`);
    const { fileBytesMax: bytesMax } = this.#config.bounds;
    return SlotFile.openIn(this.#folders.out.within(outFile.parse(file)), { bytesMax, fault });
  }

  /** Absolute path of a file that the child wrote, for an inference child, which opens it as `SlotFile` does. */
  outPath(file: string): string {
    return join(this.#config.folder, 'out', outFile.parse(file));
  }

  /** Throws MediaFaultError, WorkerLostError, or AbortError, which costs the child: a decoder cannot be interrupted. */
  async request<W extends DecodeWork>(
    work: W,
    options: RequestOptions = {},
  ): Promise<DecodeAnswer<W['type']>> {
    if (this.#waiting !== null) throw new Error('a slot does one thing at a time');
    if (this.#loss !== null) throw this.#loss;
    if (options.signal?.aborted) throw new AbortError(options.signal);
    this.#requestCount += 1;
    const id = this.#requestCount;
    this.#keepsPicture ||=
      work.type === 'render-heatmap' || (work.type === 'decode-image' && work.keepsPicture === true);
    const { type }: { type: W['type'] } = work;
    const answer = this.#await(id, type, options, (response) =>
      response.type === 'answered' ? parseDecodeAnswer(type, response.answer) : null,
    );
    if ('trust' in work && work.trust !== this.#trust) {
      this.#trust = work.trust;
      this.#send({ type: 'trust', trust: work.trust });
    }
    this.#send(withoutTrust({ ...work, id }));
    return await answer;
  }

  async clear(): Promise<void> {
    if (this.#keepsPicture) this.#send({ type: 'forget-picture' });
    this.#keepsPicture = false;
    await Promise.all([this.#folders.in.empty(NAMES_MAX), this.#folders.out.empty(NAMES_MAX)]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lose('stopped', 'the decoder was stopped');
    await this.#ended.promise;
    this.#removal ??= this.#removeFolder();
    await this.#removal;
  }

  #send(request: SentRequest): void {
    this.#child.send(request, () => {
      // `exit` follows a closed channel, and says more.
    });
  }

  async #removeFolder(): Promise<void> {
    await using own = this.#folders.own;
    await this.#folders.in[Symbol.asyncDispose]();
    await this.#folders.out[Symbol.asyncDispose]();
    for (let tries = 1; ; tries += 1) {
      await own.empty(LEFT_NAMES_MAX);
      try {
        return await rmdir(this.#config.folder);
      } catch (error) {
        // Somebody else removed it.
        if (codeOf(error) === 'ENOENT') return;
        // Behind a wall the killed child's last write may still be under way.
        if (codeOf(error) !== 'ENOTEMPTY' || tries >= REMOVAL_TRIES_MAX) throw error;
        await sleep(REMOVAL_PAUSE_MS * tries);
      }
    }
  }

  async #await<T>(
    id: number,
    asked: Waiting['asked'],
    options: RequestOptions,
    parse: (response: DecodeMessage) => T | null,
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const { timeoutMs = this.#config.timeoutMs, signal, onProgress, onFrame, onPatched } = options;
    const accept = (response: DecodeMessage): boolean => {
      const answer = parse(response);
      if (answer !== null) resolve(answer);
      return answer !== null;
    };
    this.#waiting = { id, asked, onProgress, onFrame, onPatched, accept, reject };
    const freeze = () => this.#lose('frozen', 'the decoder was stopped by something on this box');
    using _pulse = watchPulse(this.#child.pid, freeze);
    const onDeadline = () =>
      isStopped(this.#child.pid)
        ? freeze()
        : this.#lose('deadline', `the decoder took longer than ${timeoutMs / 1000} s`);
    const timer = setTimeout(onDeadline, timeoutMs);
    const onAbort = () => {
      if (signal !== undefined) reject(new AbortError(signal));
      this.#lose('stopped', 'the decoder was stopped because its work was called off');
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      this.#waiting = null;
    }
  }

  #receive(message: unknown): void {
    const response = parseDecodeMessage(message);
    const waiting = this.#waiting;
    const id = response === null || response.type === 'ready' ? 0 : response.id;
    if (response === null || waiting === null || waiting.id !== id) {
      this.#lose('broken', 'the decoder answered something that was not asked');
    } else if (response.type === 'progress') {
      waiting.onProgress?.(response);
    } else if (response.type === 'frame' && waiting.asked === 'decode-video') {
      waiting.onFrame?.(response.frame);
    } else if (response.type === 'patched' && waiting.asked === 'decode-image') {
      waiting.onPatched?.(response.picture);
    } else if (response.type === 'failed') {
      waiting.reject(new MediaFaultError(response.fault, response.message));
    } else if (!waiting.accept(response)) {
      const reason = response.type === 'broken' ? response.message : 'it gave the wrong kind of answer';
      this.#lose('broken', `the decoder failed: ${reason}`);
    }
  }

  #fail(error: Error): void {
    const how = `it could not be started or reached: ${error.message}`;
    if (isExhausted(error)) this.#lose('exhausted', how, error);
    this.#end(how);
  }

  #end(how: string): void {
    this.#lose('ended', `the decoder ended before it had finished: ${how}`);
    // A wall that was killed while it was put up may leave a process behind it, which ends with the channel.
    if (this.#child.connected) this.#child.disconnect();
    this.#ended.resolve();
  }

  /** The first loss is the cause; losses by the kill that follows are not reported. */
  #lose(loss: WorkerLoss, message: string, cause?: unknown): WorkerLostError {
    if (this.#loss === null) {
      this.#loss = new WorkerLostError(loss, message, cause);
      this.#child.kill('SIGKILL');
      this.#waiting?.reject(this.#loss);
    }
    return this.#loss;
  }
}
