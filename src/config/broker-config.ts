/** A minimal configuration of nats-server for one daemon and its workers: each has its own nkey and only its own subjects. */
import { knowsSyncInterval } from '../engine/remote/broker-version.ts';
import {
  ASK_SUBJECTS,
  askSubject,
  cancelSubject,
  DAEMON_INBOX,
  inboxOf,
  STREAM,
  VERBS,
  WORKER_INBOXES,
  WORKER_NAME,
} from '../engine/remote/messages.ts';

export interface BrokerUser {
  name: string;
  /** Public nkey: U and 55 more characters. */
  nkey: string;
}

export interface BrokerConfig {
  /** `host:port`. */
  listen: string;
  storeFolder: string;
  daemon: BrokerUser;
  workers: readonly BrokerUser[];
  /** The server's version. */
  version: string;
}

/** Bytes on disk: a lease has some hundred bytes, and the daemon's store is the queue of record. */
const STORE_BYTES_MAX = '256MB';

export const isWorkerName = (name: string): boolean => WORKER_NAME.test(name);

export function brokerConfig({ listen, storeFolder, daemon, workers, version }: BrokerConfig): string {
  const users = [
    user(daemon.nkey, DAEMON_PERMISSIONS),
    ...workers.map(({ name, nkey }) => user(nkey, permissionsOf(name))),
  ];
  return [
    `listen: "${listen}"`,
    'jetstream {',
    `  store_dir: ${JSON.stringify(storeFolder)}`,
    `  max_file_store: ${STORE_BYTES_MAX}`,
    ...(knowsSyncInterval(version) ? ['  sync_interval: always'] : []),
    '}',
    'authorization {',
    '  users: [',
    ...users,
    '  ]',
    '}',
    '',
  ].join('\n');
}

/** The daemon publishes leases and cancels, answers workers and makes the stream; it sends nothing in a worker's name. */
const DAEMON_PERMISSIONS: Permissions = {
  publish: [
    ...['assay.leases.>', cancelSubject('*'), WORKER_INBOXES],
    ...['$JS.API.INFO', `$JS.API.STREAM.INFO.${STREAM}`, `$JS.API.STREAM.CREATE.${STREAM}`],
    `$JS.API.CONSUMER.INFO.${STREAM}.*`,
    // Servers of different versions create a consumer under different subjects.
    ...[`$JS.API.CONSUMER.CREATE.${STREAM}.>`, `$JS.API.CONSUMER.DURABLE.CREATE.${STREAM}.*`],
  ],
  subscribe: [`${DAEMON_INBOX}.>`, ASK_SUBJECTS],
};

interface Permissions {
  publish: string[];
  subscribe: string[];
}

/** A worker pulls, asks and acknowledges under its own name, and receives only messages to it. */
function permissionsOf(worker: string): Permissions {
  return {
    publish: [
      ...VERBS.map((verb) => askSubject(worker, verb)),
      ...[
        `$JS.API.CONSUMER.INFO.${STREAM}.*`,
        `$JS.API.CONSUMER.MSG.NEXT.${STREAM}.*`,
        `$JS.ACK.${STREAM}.>`,
      ],
    ],
    subscribe: [`${inboxOf(worker)}.>`, cancelSubject(worker)],
  };
}

function user(nkey: string, { publish, subscribe }: Permissions): string {
  const list = (subjects: string[]) => subjects.map((subject) => JSON.stringify(subject)).join(', ');
  return `    { nkey: ${nkey}, permissions: { publish: [${list(publish)}], subscribe: [${list(subscribe)}] } }`;
}
