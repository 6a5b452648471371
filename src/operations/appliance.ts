/** What administrators see and do of the box: work, models, workers, backups. */
import { listAudit } from '../app/accounts/audit.ts';
import { type ApplianceStatus, getModelCard, getStatus } from '../app/appliance/appliance.ts';
import { readBackups, startBackup } from '../app/appliance/backup-list.ts';
import { listCatalogue } from '../app/appliance/catalogue.ts';
import { examine } from '../app/appliance/doctor/doctor.ts';
import { makeSupportBundle, type SupportBundle } from '../app/appliance/doctor/support-bundle.ts';
import { removeModel } from '../app/appliance/models.ts';
import { listProcesses } from '../app/appliance/processes.ts';
import { cancelAnalysis, getQueue, retryAnalysis } from '../app/appliance/queue.ts';
import { getSetting } from '../app/appliance/settings.ts';
import { drainWorker, forgetWorker, listWorkers, resumeWorker } from '../app/appliance/workers.ts';
import { AUDIT_ENTRY } from '../domain/contract/account.ts';
import { CATALOGUE_ENTRY, FINDING, type ModelStatus, SETTING } from '../domain/contract/appliance.ts';
import { BACKUPS } from '../domain/contract/backups.ts';
import { PROCESSES, WORKER } from '../domain/contract/processes.ts';
import { QUEUE } from '../domain/contract/queue.ts';
import { flag, identifier, json, listOf, noun, nounOf, text } from '../domain/field.ts';
import { initially, itself, limit, mutation, one, page, pageInput, query } from './operation.ts';

const WORK = one('identifiers', listOf(text('The records that the work is for.')));
const ONE_WORKER = one('worker', nounOf(WORKER));

export const STATUS_OPERATIONS = {
  getStatus: query({
    description: 'State and models; any valid key may ask. Load and storage are for administrators.',
    answer: itself('appliance', noun<ApplianceStatus>('Appliance')),
    run: getStatus,
  }),
  examine: query({
    description: 'What is right and wrong with the box, and what to do.',
    role: 'admin',
    answer: one('findings', listOf(nounOf(FINDING))),
    run: examine,
  }),
  getSetting: query({
    description: 'What a setting is now, and the lines to write to change it.',
    role: 'admin',
    input: { key: text('Its name, such as `mail.smtp_url`.') },
    answer: itself('setting', nounOf(SETTING)),
    run: getSetting,
  }),
  listProcesses: query({
    description: 'The daemon and its children, and what they work on now.',
    role: 'admin',
    answer: itself('processes', nounOf(PROCESSES)),
    run: listProcesses,
  }),
  getSupportBundle: query({
    field: null,
    role: 'admin',
    answer: itself('bundle', json<SupportBundle>()),
    run: makeSupportBundle,
  }),
  listAuditEntries: query({
    field: 'auditEntries',
    description: 'Who did what, when and from where, newest first.',
    role: 'admin',
    input: pageInput(),
    answer: page('entries', nounOf(AUDIT_ENTRY), { cursor: 'sequence', first: 1 }),
    run: listAudit,
  }),
};

export const WORK_OPERATIONS = {
  getQueue: query({
    description: 'What runs, waits and has failed, of all accounts.',
    role: 'admin',
    input: { limit: limit('Entries of each list: ') },
    answer: itself('queue', nounOf(QUEUE)),
    run: getQueue,
  }),
  cancelAnalysis: mutation({
    description: 'Ends work that waits or runs, for every account that shares it.',
    role: 'admin',
    input: { analysisId: identifier() },
    answer: WORK,
    payload: 'Work',
    run: cancelAnalysis,
  }),
  retryAnalysis: mutation({
    description: 'Runs failed work again; each owner pays as at the first time.',
    role: 'admin',
    input: { analysisId: identifier() },
    answer: WORK,
    payload: 'Work',
    run: retryAnalysis,
  }),
  listWorkers: query({
    rpc: null,
    description: 'Boxes that carry out work for this one, by name.',
    role: 'admin',
    answer: one('workers', listOf(nounOf(WORKER))),
    run: listWorkers,
  }),
  drainWorker: mutation({
    description:
      'A worker on another box finishes what it has and takes nothing more, also after a restart of either side.',
    role: 'admin',
    input: { name: text() },
    answer: ONE_WORKER,
    payload: 'Worker',
    run: drainWorker,
  }),
  resumeWorker: mutation({
    description: 'A drained worker takes work again.',
    role: 'admin',
    input: { name: text() },
    answer: ONE_WORKER,
    payload: 'Worker',
    run: resumeWorker,
  }),
  forgetWorker: mutation({
    description: 'A worker that is gone is listed no more, until it is heard of again.',
    role: 'admin',
    input: { name: text() },
    answer: ONE_WORKER,
    payload: 'Worker',
    run: forgetWorker,
  }),
};

export const MODEL_OPERATIONS = {
  listModels: query({
    field: null,
    answer: one('models', listOf(noun<ModelStatus>('Model'))),
    run: async (app, input) => (await getStatus(app, input)).models,
  }),
  getModelCard: query({
    field: 'modelCard',
    description: 'What a model was trained on, how often it errs and where it fails, in Markdown.',
    input: { id: identifier() },
    answer: one('card', text()),
    run: getModelCard,
  }),
  listCatalogue: query({
    field: 'catalogue',
    description: 'Models of others that can be added.',
    role: 'admin',
    answer: one('entries', listOf(nounOf(CATALOGUE_ENTRY))),
    run: listCatalogue,
  }),
  removeModel: mutation({
    description: 'Removes a model that was added; records keep naming it.',
    role: 'admin',
    input: { id: identifier() },
    answer: one(
      'model',
      text('The one that was added, as id@version, or the id of the one that was removed.'),
    ),
    payload: 'Model',
    run: async (app, input) => {
      await removeModel(app, input);
      return input.id;
    },
  }),
};

export const BACKUP_OPERATIONS = {
  listBackups: query({ role: 'admin', answer: itself('backups', nounOf(BACKUPS)), run: readBackups }),
  /** Does not wait for the backup's end; the rpc `Backup` is a stream. */
  startBackup: mutation({
    rpc: null,
    description: 'Begins one in the setting backup.dir; `backups` says how far it is.',
    role: 'admin',
    input: { withSecrets: initially(false, flag()) },
    isForReaders: true,
    answer: one('started', flag()),
    payload: 'StartBackup',
    whenRefused: { started: false },
    run: async (app, input) => {
      await startBackup(app, { ...input, folder: '' });
      return true;
    },
  }),
};
