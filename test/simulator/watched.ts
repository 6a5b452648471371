/** A watched folder on a stage: what a test lays into it, and what Assay shows of it. */
import { mkdirSync, readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  addWatchFolder,
  getWatchFolder,
  pauseWatchFolder,
  resumeWatchFolder,
} from '../../src/app/watch-folders/watch-folders.ts';
import { type DoneAction, NO_FILES } from '../../src/domain/automation/watch-folder.ts';
import { contentOf } from './clients/actions.ts';
import { ADMIN_ID, watchedFolderOf } from './life.ts';
import { Stage, type StageOptions } from './stage.ts';

export interface WatchedOptions extends StageOptions {
  below?: string;
}

export class Watched implements AsyncDisposable {
  readonly stage: Stage;
  readonly path: string;
  readonly id: number;

  private constructor(stage: Stage, path: string, id: number) {
    this.stage = stage;
    this.path = path;
    this.id = id;
  }

  /** Watches the watched folder of histories, or one below it. */
  static async open(done: DoneAction, { below = '', ...options }: WatchedOptions = {}): Promise<Watched> {
    const stage = await Stage.open(options);
    const path = join(watchedFolderOf(stage.folder), below);
    mkdirSync(path, { recursive: true });
    const watched = new Watched(stage, path, 1);
    await watched.add(path, done);
    return watched;
  }

  get app() {
    return this.stage.life.app;
  }

  get #call() {
    return { principal: this.stage.life.principalOf(ADMIN_ID), id: this.id };
  }

  async add(path: string, done: DoneAction, userId?: number): Promise<number> {
    const { principal } = this.#call;
    const adding = addWatchFolder(this.app, { principal, userId, fields: { path, done } });
    return (await this.stage.drive(adding, 'a rule')).folder.id;
  }

  /** A row as an older version might have made it. */
  async addUnchecked(path: string): Promise<number> {
    const { store, watching } = this.app;
    const id = store.read.automation.newestWatchFolderId() + 1;
    const rule = { id, accountId: ADMIN_ID, path, options: {}, done: 'leave', createdAt: 1 } as const;
    const made = { ...rule, isPaused: false, isRemoved: false, counts: NO_FILES };
    await this.stage.drive(
      store.transact((tx) => tx.automation.putWatchFolder(made)),
      'a rule',
    );
    watching.onChange();
    return id;
  }

  pause = () => this.stage.drive(pauseWatchFolder(this.app, this.#call), 'the pause');
  resume = () =>
    this.stage.drive(resumeWatchFolder(this.app, { ...this.#call, retriesFailed: true }), 'a resume');

  show(id = this.id) {
    return getWatchFolder(this.app, { ...this.#call, id });
  }

  row(name: string) {
    return this.app.store.read.automation.watchedFile(this.id, name);
  }

  records() {
    return this.app.store.read.records.list({ accountId: ADMIN_ID, limit: 1000 });
  }

  /** Its time is the simulated one. */
  lay(name: string, content = 0, seconds = this.stage.clock.nowMs / 1000): void {
    writeFileSync(join(this.path, name), contentOf(content));
    utimesSync(join(this.path, name), seconds, seconds);
  }

  /** Another file, of the size and time of the first. */
  exchange(name: string, content: number, seconds: number): void {
    this.lay(`.${name}`, content, seconds);
    renameSync(join(this.path, `.${name}`), join(this.path, name));
  }

  names = (below = '') => readdirSync(join(this.path, below)).sort();
  json = (name: string) => JSON.parse(readFileSync(join(this.path, name), 'utf8'));
  finished = (count: number) => this.stage.until(() => this.show().finished === count, `${count} results`);

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stage[Symbol.asyncDispose]();
  }
}
