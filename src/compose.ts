/** The one place that constructs. Disposal runs backwards on one stack, so that nothing outlives what it uses. */
import { passwordLink } from './app/accounts/mail-texts.ts';
import type { App } from './app/appliance/app.ts';
import type { FirstStart } from './app/appliance/first-start.ts';
import type { Listener } from './app/appliance/parts.ts';
import { openBasics, openCore } from './compose-core.ts';
import { startEngine } from './compose-engine.ts';
import type { Settings } from './config/settings.ts';
import { toHttp } from './config/slices.ts';
import type { Clock } from './domain/clock.ts';
import type { Engine } from './engine/engine.ts';
import type { GrpcServer } from './facade/grpc/server.ts';
import { systemClock } from './machinery/system-clock.ts';
import { HttpServer } from './port/server.ts';

export interface Daemon extends AsyncDisposable {
  readonly http: HttpServer;
  readonly grpc: GrpcServer;
  readonly app: App;
  readonly engine: Engine;
  readonly isFirstStart: boolean;
  /** The administrator's key, only at the first start and if no setting gave it. */
  readonly newKey: string | null;
  /** A link that sets the administrator's password, only at the first start and if the settings gave none. */
  readonly passwordLink: string | null;
  /** Until then a submission is refused as `starting`; reads are answered before. */
  readonly packsRead: Promise<void>;
  /** Stops taking work, finishes what runs, then closes everything. */
  drain(): Promise<void>;
}

/** Opens everything and serves; models load in the background, `/readyz` says when they are there. */
export async function openDaemon(settings: Settings, clock: Clock = systemClock()): Promise<Daemon> {
  await using stack = new AsyncDisposableStack();
  const basics = await openBasics(stack, settings);
  const http = new HttpServer(toHttp(settings, basics.tls));
  const core = await openCore(stack, settings, { ...basics, clock, http });
  const { app, engine } = core;
  const { packsRead } = await startEngine(engine, app.log);
  const { serveFacades } = await import('./compose-facades.ts');
  const grpc = await serveFacades(stack, settings, { http, app, tls: basics.tls });
  app.doctor.listeners.push(toListener('http', http.url), toListener('grpc', `tcp://${grpc.address}`));
  core.startLoops();
  const held = stack.move();
  return {
    http,
    grpc,
    app,
    engine,
    packsRead,
    ...describeFirstStart(app, core.firstStart),
    async drain() {
      grpc.stopServing();
      await core.drain();
      await http.stopServing();
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

function describeFirstStart(
  app: App,
  start: FirstStart | null,
): Pick<Daemon, 'isFirstStart' | 'newKey' | 'passwordLink'> {
  return {
    isFirstStart: start !== null,
    newKey: start?.isKeyNew === true ? start.key : null,
    passwordLink: start?.passwordToken ? passwordLink(app, start.passwordToken) : null,
  };
}

function toListener(name: string, address: string): Listener {
  const { hostname, port, protocol } = new URL(address);
  const number = Number(port) || (protocol === 'https:' ? 443 : 80);
  return { name, host: hostname.replace(/^\[|\]$/g, ''), port: number };
}
