/** The gRPC server: bounds, services, health, reflection. What a call does is in the file of its noun. */
import { subscribe } from 'node:diagnostics_channel';
import type { Http2Session, ServerHttp2Stream } from 'node:http2';
import { isIP } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { DescService } from '@bufbuild/protobuf';
import { Server, ServerCredentials, type ServerOptions } from '@grpc/grpc-js';
import type { App } from '../../app/appliance/app.ts';
import { makeBackup } from '../../app/appliance/make-backup.ts';
import { type Handlers, serviceDefinition } from '../../grpc/definition.ts';
import { AccountService } from '../../grpc/gen/assay/v1/account_service_pb.ts';
import { ApplianceService } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { ClassificationService } from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { CustodyService } from '../../grpc/gen/assay/v1/custody_service_pb.ts';
import { DeskService } from '../../grpc/gen/assay/v1/desk_service_pb.ts';
import { EvidenceService } from '../../grpc/gen/assay/v1/evidence_service_pb.ts';
import { MarksService } from '../../grpc/gen/assay/v1/marks_service_pb.ts';
import { NotifyService } from '../../grpc/gen/assay/v1/notify_service_pb.ts';
import { PartnerService } from '../../grpc/gen/assay/v1/partner_service_pb.ts';
import { SearchService } from '../../grpc/gen/assay/v1/search_service_pb.ts';
import { TrustService } from '../../grpc/gen/assay/v1/trust_service_pb.ts';
import { WatchFolderService } from '../../grpc/gen/assay/v1/watch_folder_service_pb.ts';
import { Health as HealthService } from '../../grpc/gen/grpc/health/v1/health_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { TLS_VERSION_MIN, type TlsFiles, type TlsMaterial } from '../../machinery/tls.ts';
import { accountHandlers } from './accounts.ts';
import { download, type GrpcContext } from './calls.ts';
import { mediaHandlers, readHandlers, watchHandlers } from './classifications.ts';
import { Health } from './health.ts';
import { markHandlers, searchHandlers } from './looks.ts';
import { modelHandlers } from './models.ts';
import { handlersOf } from './operations.ts';
import { evidenceHandlers } from './packages.ts';
import { partnerHandlers } from './partners.ts';
import { serveReflection } from './reflection.ts';
import { submissionHandlers } from './submissions.ts';

export interface GrpcServerConfig {
  host: string;
  /** 0 = any free one. */
  port: number;
  /** Whether the server describes its services; off loopback only to a caller with a credential. */
  reflection: boolean;
  /** Null for clear text. */
  tls: TlsFiles | null;
}

/** All that are served, and listed by reflection. */
export const SERVICES = [
  ClassificationService,
  AccountService,
  PartnerService,
  ApplianceService,
  CustodyService,
  DeskService,
  WatchFolderService,
  NotifyService,
  EvidenceService,
  MarksService,
  SearchService,
  TrustService,
];

const MIB = 1024 * 1024;

const OPTIONS: ServerOptions = {
  // A chunk is 256 KiB at best; a message is kept whole in memory.
  'grpc.max_receive_message_length': 4 * MIB,
  // Streams of one connection: watches are many, and each costs a subscription.
  'grpc.max_concurrent_streams': 256,
  // A peer that vanished without a word must not hold an upload's turn for ever.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 20_000,
};

/** After this a client that does not end its calls is cut off. */
const CLOSE_GRACE_MS = 3_000;

/** Made before it listens, so that its address can be asked for. */
export class GrpcServer implements AsyncDisposable {
  readonly #config: GrpcServerConfig;
  readonly #server = new Server(OPTIONS);
  readonly #closing = new AbortController();
  #boundPort: number;
  #health: Health | undefined;
  #closed: Promise<void> | undefined;

  constructor(config: GrpcServerConfig) {
    this.#config = config;
    this.#boundPort = config.port;
  }

  /** `host:port`, with the port that was really bound once there is one. */
  get address(): string {
    return authorityOf(this.#config.host, this.#boundPort);
  }

  async serve(app: App): Promise<void> {
    widenReceiveWindows();
    addServices(this.#server, { app, closing: this.#closing.signal });
    const names = SERVICES.map((service) => service.typeName);
    this.#health = new Health(this.#server, () => app.engine.phase === 'ready', names);
    if (this.#config.reflection) {
      const described = [...SERVICES, HealthService];
      serveReflection(this.#server, app, described, { credential: !isLoopback(this.#config.host) });
    }
    this.#boundPort = await bind(this.#server, this.#config);
  }

  /** Directs load balancers elsewhere; calls are still answered. */
  stopServing(): void {
    this.#health?.stopServing();
  }

  /** Ends the watches, answers what is under way, then cuts the rest. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#health?.[Symbol.dispose]();
    this.#closing.abort();
    const { promise, resolve } = Promise.withResolvers<void>();
    const cut = setTimeout(() => this.#server.forceShutdown(), CLOSE_GRACE_MS);
    this.#server.tryShutdown(() => resolve());
    await promise;
    clearTimeout(cut);
  }
}

/** Rows answer most of the rpcs; what is here beside them is written by hand. */
function addServices(server: Server, context: GrpcContext): void {
  addService(server, ClassificationService, {
    ...handlersOf(context, ClassificationService),
    ...submissionHandlers(context),
    ...readHandlers(context),
    ...watchHandlers(context),
    ...mediaHandlers(context),
  });
  addService(server, AccountService, {
    ...handlersOf(context, AccountService),
    ...accountHandlers(context),
  });
  addService(server, MarksService, { ...handlersOf(context, MarksService), ...markHandlers(context) });
  addService(server, SearchService, { ...handlersOf(context, SearchService), ...searchHandlers(context) });
  addService(server, TrustService, handlersOf(context, TrustService));
  addService(server, PartnerService, {
    ...handlersOf(context, PartnerService),
    ...partnerHandlers(context),
  });
  addService(server, EvidenceService, {
    ...handlersOf(context, EvidenceService),
    ...evidenceHandlers(context),
  });
  addService(server, CustodyService, handlersOf(context, CustodyService));
  addService(server, DeskService, handlersOf(context, DeskService));
  addService(server, NotifyService, handlersOf(context, NotifyService));
  addService(server, WatchFolderService, handlersOf(context, WatchFolderService));
  addService(server, ApplianceService, {
    ...handlersOf(context, ApplianceService),
    ...backupHandlers(context),
    ...modelHandlers(context),
  });
}

function addService<S extends DescService>(server: Server, service: S, handlers: Handlers<S>): void {
  server.addService(serviceDefinition(service), { ...handlers });
}

function bind(server: Server, { host, port, tls }: GrpcServerConfig): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const credentials = tls === null ? ServerCredentials.createInsecure() : new TlsCredentials(tls);
  server.bindAsync(authorityOf(host, port), credentials, (error, bound) => {
    if (error === null) resolve(bound);
    else reject(error);
  });
  return promise;
}

function authorityOf(host: string, port: number): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** TLS for the gRPC listener from files that may change: new connections get the present certificate. */
class TlsCredentials extends ServerCredentials {
  constructor(files: TlsFiles) {
    const { material } = files;
    // A certificate is asked for only if its issuers are known, and then one that they did not sign is refused.
    const isAsked = material.clientCa !== null;
    super({ requestCert: isAsked, rejectUnauthorized: isAsked }, toContext(material));
    files.onChange((changed) => this.updateSecureContextOptions(toContext(changed)));
  }

  override _equals(other: ServerCredentials): boolean {
    return other === this;
  }
}

function toContext({ cert, key, clientCa }: TlsMaterial): SecureContextOptions {
  return { cert, key, minVersion: TLS_VERSION_MIN, ...(clientCa === null ? {} : { ca: clientCa }) };
}

const { method } = ApplianceService;

function backupHandlers(context: GrpcContext): Pick<Handlers<typeof ApplianceService>, 'backup'> {
  return {
    backup: download(context, method.backup, async function* ({ principal, request, signal }) {
      const { folder, withSecrets } = request;
      for await (const step of makeBackup(context.app, { principal, folder, withSecrets }, signal)) {
        yield toMessage(method.backup.output, step);
      }
    }),
  };
}

/** Two chunks: one arrives while the other is taken. Measured: 235 instead of 175 MB/s; larger windows gave no more. */
const RECEIVE_WINDOW_BYTES = 512 * 1024;

const widened = new WeakSet<Http2Session>();

/** Widens HTTP/2 receive windows: grpc-js' own option holds for clients only, and 64 KiB stop a sender four times a chunk. */
export function widenReceiveWindows(): void {
  subscribe('http2.server.stream.created', widen);
}

function widen(message: unknown): void {
  const { session } = (message as { stream: ServerHttp2Stream }).stream;
  if (session === undefined || session.destroyed || widened.has(session)) return;
  widened.add(session);
  session.setLocalWindowSize(RECEIVE_WINDOW_BYTES);
  session.settings({ initialWindowSize: RECEIVE_WINDOW_BYTES });
}
