/** The gRPC server: bounds, services, health, reflection. What a call does is in the file of its noun. */
import { isIP } from 'node:net';
import type { DescService } from '@bufbuild/protobuf';
import { Server, ServerCredentials, type ServerOptions } from '@grpc/grpc-js';
import type { App } from '../../app/app.ts';
import { type Handlers, serviceDefinition } from '../../grpc/definition.ts';
import { AccountService } from '../../grpc/gen/assay/v1/account_service_pb.ts';
import { ApplianceService } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { ClassificationService } from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { CustodyService } from '../../grpc/gen/assay/v1/custody_service_pb.ts';
import { EvidenceService } from '../../grpc/gen/assay/v1/evidence_service_pb.ts';
import { MarksService } from '../../grpc/gen/assay/v1/marks_service_pb.ts';
import { NotifyService } from '../../grpc/gen/assay/v1/notify_service_pb.ts';
import { PartnerService } from '../../grpc/gen/assay/v1/partner_service_pb.ts';
import { TrustService } from '../../grpc/gen/assay/v1/trust_service_pb.ts';
import { WatchFolderService } from '../../grpc/gen/assay/v1/watch_folder_service_pb.ts';
import type { TlsFiles } from '../../machinery/tls.ts';
import { creditHandlers, ownAccountHandlers } from './accounts.ts';
import { administrationHandlers, applianceHandlers } from './appliance.ts';
import { noticeHandlers } from './automation/notices.ts';
import { watchFolderHandlers } from './automation/watch-folders.ts';
import { backupHandlers } from './backups.ts';
import type { GrpcContext } from './calls.ts';
import { changeHandlers, mediaHandlers, readHandlers, watchHandlers } from './classifications.ts';
import { doctorHandlers } from './doctor.ts';
import { custodyHandlers } from './evidence/custody.ts';
import { evidenceHandlers } from './evidence/packages.ts';
import { Health } from './health.ts';
import { keyHandlers } from './keys.ts';
import { markHandlers } from './marks/marks.ts';
import { modelHandlers } from './models.ts';
import { overrideHandlers, signOffHandlers } from './overrides.ts';
import { partnerHandlers } from './partners.ts';
import { planHandlers } from './plans.ts';
import { processHandlers } from './processes.ts';
import { widenReceiveWindows } from './receive-windows.ts';
import { serveReflection } from './reflection.ts';
import { resumeHandlers } from './resumable-uploads.ts';
import { submissionHandlers } from './submissions.ts';
import { TlsCredentials } from './tls-credentials.ts';
import { trustHandlers } from './trust/trust.ts';
import { webhookHandlers } from './webhooks.ts';

export interface GrpcServerConfig {
  host: string;
  /** 0 = any free one. */
  port: number;
  /** Whether the server describes its services; off loopback only to a caller with a credential. */
  reflection: boolean;
  /** Null: clear text. */
  tls: TlsFiles | null;
}

/** All that are served, and listed by reflection. */
export const SERVICES = [
  ClassificationService,
  AccountService,
  PartnerService,
  ApplianceService,
  CustodyService,
  WatchFolderService,
  NotifyService,
  EvidenceService,
  MarksService,
  TrustService,
];

const MIB = 1024 * 1024;

const OPTIONS: ServerOptions = {
  // A chunk is 256 KiB at best; a message is held whole in memory.
  'grpc.max_receive_message_length': 4 * MIB,
  // Streams of one connection: watches are many, and each costs a subscription.
  'grpc.max_concurrent_streams': 256,
  // A peer that vanished without a word must not hold an upload's turn for ever.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 20_000,
};

/** After this a client that does not end its calls is cut off. */
const CLOSE_GRACE_MS = 3_000;

/** Made before it listens, so that whoever asks for its address has somebody to ask. */
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
      serveReflection(this.#server, app, SERVICES, { credential: !isLoopback(this.#config.host) });
    }
    this.#boundPort = await bind(this.#server, this.#config);
  }

  /** Tells load balancers to go elsewhere; calls are still answered. */
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

function addServices(server: Server, context: GrpcContext): void {
  addService(server, ClassificationService, {
    ...submissionHandlers(context),
    ...resumeHandlers(context),
    ...readHandlers(context),
    ...watchHandlers(context),
    ...changeHandlers(context),
    ...mediaHandlers(context),
    ...overrideHandlers(context),
    ...signOffHandlers(context),
  });
  addService(server, AccountService, {
    ...ownAccountHandlers(context),
    ...creditHandlers(context),
    ...keyHandlers(context),
    ...webhookHandlers(context),
  });
  addService(server, MarksService, markHandlers(context));
  addService(server, TrustService, trustHandlers(context));
  addService(server, PartnerService, partnerHandlers(context));
  addService(server, EvidenceService, evidenceHandlers(context));
  addService(server, CustodyService, custodyHandlers(context));
  addService(server, NotifyService, noticeHandlers(context));
  addService(server, WatchFolderService, watchFolderHandlers(context));
  addService(server, ApplianceService, {
    ...applianceHandlers(context),
    ...administrationHandlers(context),
    ...planHandlers(context),
    ...backupHandlers(context),
    ...modelHandlers(context),
    ...doctorHandlers(context),
    ...processHandlers(context),
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
