/** The backups of the box: listed, and begun. */
import {
  type BackupEntry,
  type BackupShelf,
  readBackups,
  startBackup,
} from '../../app/appliance/backup-list.ts';
import { MICROSECONDS_PER_MS } from '../../domain/time.ts';
import { builder } from './builder.ts';
import { countCall, type Payload, settleCall } from './transport/calls.ts';
import { userErrorType } from './transport/user-errors.ts';

const backupType = builder.objectRef<BackupEntry>('Backup').implement({
  fields: (t) => ({
    name: t.exposeID('name'),
    createdAt: t.expose('createdAt', { type: 'DateTime', nullable: true }),
    version: t.exposeString('version', { description: 'Of the daemon that made it.' }),
    files: t.expose('files', { type: 'Long' }),
    bytes: t.expose('bytes', { type: 'Long' }),
    withSecrets: t.exposeBoolean('withSecrets', {
      description: 'Whether it holds the key that seals API keys.',
    }),
    fault: t.exposeString('fault', { description: 'Why it cannot be restored; empty where it can.' }),
  }),
});

const progressType = builder.objectRef<NonNullable<BackupShelf['progress']>>('BackupProgress').implement({
  fields: (t) => ({
    phase: t.exposeString('phase', { description: 'records, check, files or done.' }),
    files: t.expose('files', { type: 'Long' }),
    bytes: t.expose('bytes', { type: 'Long' }),
    copiedBytes: t.expose('copiedBytes', {
      type: 'Long',
      description: 'Bytes that no earlier backup had.',
    }),
  }),
});

const shelfType = builder.objectRef<BackupShelf>('Backups').implement({
  fields: (t) => ({
    folder: t.exposeString('folder', {
      nullable: true,
      description: 'The setting backup.dir; null: no backups are made.',
    }),
    lastGoodAt: t.field({
      type: 'DateTime',
      nullable: true,
      resolve: ({ lastGoodAt }) =>
        lastGoodAt === null ? null : Math.round(lastGoodAt * MICROSECONDS_PER_MS),
    }),
    lastError: t.exposeString('lastError', { nullable: true, description: 'Why the last try failed.' }),
    isTooOld: t.exposeBoolean('isTooOld'),
    isRunning: t.exposeBoolean('isRunning'),
    progress: t.expose('progress', { type: progressType, nullable: true }),
    backups: t.expose('backups', {
      type: [backupType],
      description: 'Newest first; each was read back whole before it got its name.',
    }),
  }),
});

const startPayloadType = builder.objectRef<Payload<boolean>>('StartBackupPayload').implement({
  fields: (t) => ({
    started: t.boolean({ resolve: ({ value }) => value ?? false }),
    userErrors: t.expose('userErrors', { type: [userErrorType] }),
  }),
});

export function addBackupQueries(): void {
  builder.queryField('backups', (t) =>
    t.field({
      type: shelfType,
      nullable: true,
      description: 'Administrators only.',
      resolve: (_, _args, context) =>
        countCall(context, 'backups', () => readBackups(context.app, { principal: context.principal() })),
    }),
  );
}

export function addBackupMutations(): void {
  builder.mutationField('startBackup', (t) =>
    t.field({
      type: startPayloadType,
      nullable: true,
      description:
        'Begins one in the setting backup.dir; `backups` tells how far it is. Administrators only.',
      args: { withSecrets: t.arg.boolean({ defaultValue: false }) },
      resolve: (_, { withSecrets }, context) =>
        settleCall(context, 'startBackup', async () => {
          const order = { folder: '', withSecrets: withSecrets ?? false };
          await startBackup(context.app, { principal: context.principal(), ...order });
          return true;
        }),
    }),
  );
}
