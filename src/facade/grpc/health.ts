/** `grpc.health.v1.Health`, which load balancers ask: the server and each of its services are as ready as the models. */
import { type Server, type ServerWritableStream, status } from '@grpc/grpc-js';
import { type Handlers, type Input, type OutputInit, serviceDefinition } from '../../grpc/definition.ts';
import {
  Health as HealthService,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '../../grpc/gen/grpc/health/v1/health_pb.ts';

type Watch = ServerWritableStream<
  Input<typeof HealthService.method.watch>,
  OutputInit<typeof HealthService.method.watch>
>;

/** A load balancer asks every few seconds; the phase changes a few times in a daemon's life. */
const POLL_MS = 250;

export class Health implements Disposable {
  readonly #isReady: () => boolean;
  readonly #names: ReadonlySet<string>;
  readonly #timer: NodeJS.Timeout;
  readonly #watches = new Set<Watch>();
  #isStopped = false;
  #status: ServingStatus = ServingStatus.NOT_SERVING;

  /** The empty name stands for the whole server. */
  constructor(server: Server, isReady: () => boolean, services: readonly string[]) {
    this.#isReady = isReady;
    this.#names = new Set(['', ...services]);
    this.#update();
    server.addService(serviceDefinition(HealthService), { ...this.#handlers() });
    this.#timer = setInterval(() => this.#update(), POLL_MS).unref();
  }

  stopServing(): void {
    this.#isStopped = true;
    this.#update();
  }

  /** Ends the watches, which have no end of their own. */
  [Symbol.dispose](): void {
    this.stopServing();
    clearInterval(this.#timer);
    for (const watch of this.#watches) watch.end();
  }

  #update(): void {
    const now = this.#isReady() && !this.#isStopped ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
    if (now === this.#status) return;
    this.#status = now;
    for (const watch of this.#watches)
      if (this.#names.has(watch.request.service)) watch.write({ status: now });
  }

  #handlers(): Handlers<typeof HealthService> {
    return {
      check: ({ request: { service } }, callback) => {
        if (this.#names.has(service)) callback(null, { status: this.#status });
        else
          callback({
            code: status.NOT_FOUND,
            details: `expected a service of this server, found ${service}`,
          });
      },
      list: (_call, callback) => {
        const rows = [...this.#names].map((name) => [name, { status: this.#status }]);
        callback(null, { statuses: Object.fromEntries(rows) });
      },
      watch: (call) => {
        this.#watches.add(call);
        call.on('cancelled', () => this.#watches.delete(call));
        const isKnown = this.#names.has(call.request.service);
        call.write({ status: isKnown ? this.#status : ServingStatus.SERVICE_UNKNOWN });
      },
    };
  }
}
