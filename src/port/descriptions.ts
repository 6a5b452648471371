/** Contracts of gRPC and GraphQL from the box itself; off loopback only for callers who may use the interface. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import yazl from 'yazl';
import type { App } from '../app/appliance/app.ts';
import { PROGRAM_FOLDER } from '../machinery/program-folder.ts';
import { requireCallerOffLoopback } from './caller.ts';

/** The packages that clients need; the others of proto/ are internal. */
const PACKAGES = ['assay/v1', 'google/rpc'] as const;
const PROTO_FOLDER = join(PROGRAM_FOLDER, 'proto');
const GRAPHQL_FILE = join(PROGRAM_FOLDER, 'schema', 'assay.graphql');
/** The earliest time of the format, so that the same files make the same bytes and the same ETag. */
const ENTRY_TIME = new Date(1980, 0, 1);

interface Description {
  name: string;
  type: string;
  bytes: Buffer;
}

export function routeDescriptions(
  fastify: FastifyInstance,
  app: App,
  exposure: { behindProxy: boolean },
): void {
  const onRequest = requireCallerOffLoopback(app, exposure);
  const serve = (path: string, make: () => Promise<Description>) => {
    // Made at the first request and kept, since the files never change.
    let made: Promise<Description> | undefined;
    fastify.get(path, { onRequest }, async (request, reply) => {
      made ??= make();
      return send(await made, request, reply);
    });
  };
  serve('/proto.zip', zipProtos);
  serve('/schema.graphql', readSchema);
}

function send(
  { name, type, bytes }: Description,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  reply.headers({
    etag,
    'cache-control': 'no-cache',
    'content-disposition': `attachment; filename="${name}"`,
  });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply.type(type).send(bytes);
}

async function readSchema(): Promise<Description> {
  return {
    name: 'assay.graphql',
    type: 'application/graphql; charset=utf-8',
    bytes: await readFile(GRAPHQL_FILE),
  };
}

/** Files are named as they import one another, so that the archive is unpacked into an include folder. */
async function zipProtos(): Promise<Description> {
  const zip = new yazl.ZipFile();
  for (const folder of PACKAGES) {
    const names = (await readdir(join(PROTO_FOLDER, folder))).filter((name) => name.endsWith('.proto'));
    for (const name of names.sort()) {
      const path = `${folder}/${name}`;
      zip.addBuffer(await readFile(join(PROTO_FOLDER, path)), path, { mtime: ENTRY_TIME, mode: 0o100644 });
    }
  }
  zip.end();
  return { name: 'assay-proto.zip', type: 'application/zip', bytes: await buffer(zip.outputStream) };
}
