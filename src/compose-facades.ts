/** The facades of a daemon, plugged into its port and served. Their packages are half of what a daemon loads. */
import { join } from 'node:path';
import type { App } from './app/appliance/app.ts';
import type { Settings } from './config/settings.ts';
import { plugGraphql } from './facade/graphql/server.ts';
import { GrpcServer } from './facade/grpc/server.ts';
import { plugRest } from './facade/rest/rest.ts';
import { plugTus } from './facade/tus/server.ts';
import type { TlsFiles } from './machinery/tls.ts';
import { plugPage } from './port/page.ts';
import type { HttpServer } from './port/server.ts';

/** Each facade goes onto the stack, to be closed before the parts that its calls use. */
export async function serveFacades(
  stack: AsyncDisposableStack,
  settings: Settings,
  { http, app, tls }: { http: HttpServer; app: App; tls: TlsFiles | null },
): Promise<GrpcServer> {
  await serveHttp(http, app, settings, stack);
  stack.use(http);
  const grpc = new GrpcServer({ ...settings.grpc.listen, reflection: !settings.http.behindProxy, tls });
  await stack.use(grpc).serve(app);
  return grpc;
}

function serveHttp(
  http: HttpServer,
  app: App,
  settings: Settings,
  stack: AsyncDisposableStack,
): Promise<void> {
  const { behindProxy } = settings.http;
  const isAllowed = http.isAllowedHost;
  return http.serve(app, async (fastify) => {
    await plugRest(fastify, app);
    const graphql = await plugGraphql(app, fastify, {
      introspection: !behindProxy,
      graphiql: !behindProxy,
      callerAddress: http.callerAddress,
      isAllowedOrigin: (origin, host) =>
        isAllowed(host) &&
        (origin === undefined || (URL.canParse(origin) && isAllowed(new URL(origin).host))),
    });
    stack.use(graphql);
    await plugTus(fastify, app);
    await plugPage(fastify, app, { cacheFolder: join(settings.dataFolder, 'cache', 'page') });
  });
}
