/** The settings of workers on other boxes: how daemon and workers find each other, and how media reach a worker. */
import {
  boolean,
  httpUrl,
  integer,
  type ListenAddress,
  listenAddress,
  listOf,
  secret,
  text,
} from './parsers.ts';
import type { Secret } from './secret.ts';
import { optional, row } from './setting-row.ts';

const server = text(
  'an address like nats://broker.example.org:4222 or tls://…',
  /^(nats|tls):\/\/[A-Za-z0-9.[\]:-]{1,255}$/,
);
const none: string[] = [];

export const WORKER_SETTINGS = {
  natsServers: row(
    'nats.servers',
    listOf(server, 'addresses of NATS servers with JetStream'),
    none,
    'NATS servers over which workers on other boxes are given work; `tls://` unless the address is a loopback one. Empty: all work is done on this box.',
    'none',
  ),
  natsNkeySeed: optional<Secret>(
    'nats.nkey_seed',
    secret('the seed of a user’s nkey: SU and 56 more characters', /^SU[A-Z2-7]{56}$/),
    'Seed of the nkey by which this box is known to the NATS servers.',
  ),
  natsCaFile: optional<string>(
    'nats.ca_file',
    text('a path', /^[^\0]{1,4096}$/),
    'PEM file of the authorities that vouch for the NATS servers.',
    'those of the system',
  ),
  natsAllowUnauthenticated: row(
    'nats.allow_unauthenticated',
    boolean(),
    false,
    'Whether NATS servers are taken that let anybody in. Anyone who reaches such a server can take work and bring results in any worker’s name.',
  ),
  workersListen: optional<ListenAddress>(
    'workers.listen',
    listenAddress(),
    'Address on which workers fetch media and leave files; by TLS where `tls.cert_file` is set. Needed where `nats.servers` is set.',
    'off',
  ),
  workersMediaUrl: optional<string>(
    'workers.media_url',
    httpUrl(),
    'Address under which workers reach `workers.listen`.',
    'that of `workers.listen`',
  ),
  workersLeaseSeconds: row(
    'workers.lease_seconds',
    integer(2, 3600),
    30,
    'Seconds without a word from a worker after which its work is given to another.',
  ),
} as const;
