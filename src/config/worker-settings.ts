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
    'NATS servers over which workers on other boxes get work; `tls://` unless on loopback.',
    'none',
  ),
  natsNkeySeed: optional<Secret>(
    'nats.nkey_seed',
    secret('the seed of a user’s nkey: SU and 56 more characters', /^SU[A-Z2-7]{56}$/),
    'Seed of this box’s nkey.',
  ),
  natsCaFile: optional<string>(
    'nats.ca_file',
    text('a path', /^[^\0]{1,4096}$/),
    'PEM file of the authorities of the NATS servers.',
    'those of the system',
  ),
  natsAllowUnauthenticated: row(
    'nats.allow_unauthenticated',
    boolean(),
    false,
    'Whether NATS servers that let anybody in are taken. Anyone who reaches one can take work and bring results in any worker’s name.',
  ),
  workersListen: optional<ListenAddress>(
    'workers.listen',
    listenAddress(),
    'Address on which workers fetch media and leave files. Needed with `nats.servers`.',
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
    'Silence of a worker, in seconds, after which another gets its work.',
  ),
} as const;
