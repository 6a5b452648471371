/** A known path asked with another method is 405 with `Allow`, not 404. */
import type { FastifyInstance, HTTPMethods } from 'fastify';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Notes every route from now on; the function it returns fills the gaps once all plugins are loaded. */
export function noteMethods(fastify: FastifyInstance): (scope: FastifyInstance) => void {
  const methodsOf = new Map<string, Set<string>>();
  fastify.addHook('onRoute', (route) => {
    const methods = methodsOf.get(route.url) ?? new Set();
    for (const method of [route.method].flat()) methods.add(method);
    methodsOf.set(route.url, methods);
  });
  return (scope) => {
    for (const [url, methods] of [...methodsOf]) refuseOthers(scope, url, [...methods].sort());
  };
}

function refuseOthers(scope: FastifyInstance, url: string, methods: string[]): void {
  const missing = METHODS.filter((method) => !methods.includes(method));
  if (missing.length === 0 || url.includes('*')) return;
  const allow = methods.join(', ');
  scope.route({
    method: missing,
    url,
    handler: (_request, reply) => {
      reply
        .code(405)
        .header('allow', allow)
        .send({ error: `this path answers ${allow} only` });
    },
  });
}
