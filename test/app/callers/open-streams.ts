/** Streams of every facade, opened with a key or a session, and how each ended. */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { type RawData, WebSocket } from 'ws';
import { AccountService } from '../../../src/grpc/gen/assay/v1/account_service_pb.ts';
import { ClassificationService } from '../../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { openServiceClient } from '../../service-client.ts';

export interface StreamPlace {
  /** `http://…` */
  url: string;
  grpc: string;
  /** Records of the caller's account: one waits, the original of the other does not fit into any buffer. */
  waiting: string;
  large: string;
}

export type ShownCredential = { key: string } | { cookie: string; csrfToken: string };

/** `cut`: the connection broke off, which is all that a client sees after the head of a file. */
export interface StreamEnd {
  code: string;
  message: string;
}

export interface OpenStream {
  ended: Promise<StreamEnd>;
  close(): void;
  /** Reads on after a stall. */
  read?(): void;
}

export interface StreamKind {
  takes: 'key' | 'both';
  /** The stream ends if its account is made read-only. */
  writes: boolean;
  /** What the client sees at the end; a file's bytes are only cut. */
  ending: 'reason' | 'cut';
  /** Standings that are followed for it: a socket has one beside its subscription's. */
  followed?: number;
  /** Records that the account needs. */
  records?: number;
  open(place: StreamPlace, shown: ShownCredential): Promise<OpenStream>;
}

const EXPORTED_RECORDS = 300;
const QUERY = 'subscription { classifications { identifier status } }';

export const STREAMS: Readonly<Record<string, StreamKind>> = {
  'gRPC WatchClassifications': grpcWatch(({ records, metadata }) =>
    records.watchClassifications({}, metadata),
  ),
  'gRPC WatchClassification': grpcWatch(({ records, metadata, place }) =>
    records.watchClassification({ identifier: place.waiting }, metadata),
  ),
  'gRPC WatchCredits': grpcWatch(({ account, metadata }) => account.watchCredits({}, metadata)),
  'gRPC WatchDeliveries': grpcWatch(({ account, metadata }) => account.watchDeliveries({}, metadata)),
  'gRPC SubmitMedia': { takes: 'key', writes: true, ending: 'reason', open: openGrpcUpload },
  'GraphQL over SSE': { takes: 'both', writes: false, ending: 'reason', open: openSse },
  'GraphQL over a WebSocket': {
    ...{ takes: 'both', writes: false, ending: 'reason', followed: 2 },
    open: openSocket,
  },
  'GraphQL upload': { takes: 'both', writes: true, ending: 'reason', open: openGraphqlUpload },
  'REST upload': { takes: 'key', writes: true, ending: 'reason', open: openRestUpload },
  'tus upload': { takes: 'both', writes: true, ending: 'cut', open: openTusUpload },
  'export of records': {
    ...{ takes: 'both', writes: false, ending: 'cut', records: EXPORTED_RECORDS },
    open: openFile('/exports/records.csv'),
  },
  'whole list by REST': {
    ...{ takes: 'key', writes: false, ending: 'cut', records: EXPORTED_RECORDS },
    open: openFile('/api/classifications'),
  },
  'original of a record': {
    takes: 'both',
    writes: false,
    ending: 'cut',
    open: openFile('/media/LARGE/original'),
  },
};

function keyOf(shown: ShownCredential): string {
  return 'key' in shown ? shown.key : '';
}

function headersOf({ url }: StreamPlace, shown: ShownCredential): Record<string, string> {
  if ('key' in shown) return { 'x-api-key': shown.key };
  const { origin } = new URL(url);
  return { cookie: `assay_session=${shown.cookie}`, 'x-assay-csrf': shown.csrfToken, origin };
}

type GrpcCall = ReturnType<ReturnType<typeof openClients>['records']['watchClassifications']>;

function openClients({ grpc }: StreamPlace, key: string) {
  const metadata = new Metadata();
  metadata.set('x-api-key', key);
  const insecure = credentials.createInsecure();
  const records = openServiceClient(ClassificationService, grpc, insecure);
  const account = openServiceClient(AccountService, grpc, insecure);
  return { records, account, metadata };
}

function toEnd({ code, details }: ServiceError): StreamEnd {
  return { code: (status[code] ?? '').toLowerCase(), message: details };
}

function grpcWatch(
  begin: (clients: ReturnType<typeof openClients> & { place: StreamPlace }) => unknown,
): StreamKind {
  return {
    ...{ takes: 'key', writes: false, ending: 'reason' },
    async open(place, shown) {
      const clients = openClients(place, keyOf(shown));
      const call = begin({ ...clients, place }) as GrpcCall;
      const { promise: ended, resolve } = Promise.withResolvers<StreamEnd>();
      call.on('error', (error: ServiceError) => resolve(toEnd(error)));
      call.on('end', () => resolve({ code: 'ok', message: '' }));
      call.resume();
      return { ended, close: () => void [call.cancel(), clients.records.close(), clients.account.close()] };
    },
  };
}

async function openGrpcUpload(place: StreamPlace, shown: ShownCredential): Promise<OpenStream> {
  const { records, metadata } = openClients(place, keyOf(shown));
  const { promise: ended, resolve } = Promise.withResolvers<StreamEnd>();
  const call = records.submitMedia(metadata, {}, (error) => {
    resolve(error === null ? { code: 'ok', message: '' } : toEnd(error));
  });
  call.on('error', () => undefined);
  call.write({ payload: { case: 'header', value: { name: 'slow.png' } } });
  call.write({ payload: { case: 'chunk', value: Buffer.alloc(1000) } });
  return { ended, close: () => void [call.cancel(), records.close()] };
}

interface Asked {
  answer: Promise<IncomingMessage>;
  send(text: string): void;
  close(): void;
}

function ask(place: StreamPlace, shown: ShownCredential, method: string, path: string, headers = {}): Asked {
  const request = httpRequest(new URL(path, place.url), {
    method,
    headers: { ...headersOf(place, shown), ...headers },
    agent: false,
  });
  const { promise: answer, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.once('response', resolve);
  request.on('error', reject);
  answer.catch(() => undefined);
  request.flushHeaders();
  return { answer, send: (part) => void request.write(part), close: () => request.destroy() };
}

/** An answer with an error as JSON, or a connection that breaks off before it. */
async function refusalOf(answer: Promise<IncomingMessage>): Promise<StreamEnd> {
  try {
    const response = await answer;
    const said = await text(response);
    const { error, errors } = JSON.parse(said) as {
      error?: string;
      errors?: { message: string; extensions: { code: string } }[];
    };
    const [first] = errors ?? [];
    if (first !== undefined) return { code: first.extensions.code.toLowerCase(), message: first.message };
    const mutation = /"code":"(\w+)".*?"message":"([^"]*)"/.exec(said);
    if (mutation !== null) return { code: mutation[1]?.toLowerCase() ?? '', message: mutation[2] ?? '' };
    const code = response.statusCode === 401 ? 'unauthenticated' : 'permission_denied';
    return { code: error === undefined ? `status ${response.statusCode}` : code, message: error ?? said };
  } catch (error) {
    return { code: 'cut', message: String(error) };
  }
}

async function openSse(place: StreamPlace, shown: ShownCredential): Promise<OpenStream> {
  const path = `/graphql?query=${encodeURIComponent(QUERY)}`;
  const asked = ask(place, shown, 'GET', path, { accept: 'text/event-stream' });
  const response = await asked.answer;
  return { ended: lastEventOf(response), close: asked.close };
}

async function lastEventOf(response: IncomingMessage): Promise<StreamEnd> {
  const said = await text(response).catch((error: unknown) => `cut ${error}`);
  const data = [...said.matchAll(/^data: (.+)$/gm)].map(([, json = '']) => JSON.parse(json));
  const [error] = data.findLast(({ errors }) => errors !== undefined)?.errors ?? [];
  if (error === undefined) return { code: 'ended without a reason', message: said.slice(-200) };
  return { code: error.extensions.code.toLowerCase(), message: error.message };
}

async function openSocket(place: StreamPlace, shown: ShownCredential): Promise<OpenStream> {
  const url = new URL('/graphql', place.url.replace('http', 'ws'));
  const socket = new WebSocket(url, 'graphql-transport-ws', { headers: headersOf(place, shown) });
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init' }));
  await once(socket, 'message');
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: QUERY } }));
  return { ended: socketEndOf(socket), close: () => socket.terminate() };
}

/** The subscription's last message; if the caller is no longer known the socket closes too, and must say so. */
async function socketEndOf(socket: WebSocket): Promise<StreamEnd> {
  const { promise, resolve } = Promise.withResolvers<StreamEnd>();
  let end: StreamEnd = { code: 'ended without a reason', message: '' };
  socket.on('message', (message: RawData) => {
    const { type, payload } = JSON.parse(String(message));
    if (payload?.errors === undefined) return;
    const [error] = payload.errors;
    end = { code: error.extensions.code.toLowerCase(), message: error.message };
    if (type === 'next' && end.code !== 'unauthenticated') resolve(end);
  });
  socket.on('close', (code, reason) => {
    const isSaid = end.code !== 'unauthenticated' || (code === 4401 && String(reason) === end.message);
    resolve(isSaid ? end : { code: `closed ${code}`, message: String(reason) });
  });
  return await promise;
}

const BOUNDARY = 'half';
const FORM = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

function partOf(name: string, content: string, more = ''): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}`;
}

async function openRestUpload(place: StreamPlace, shown: ShownCredential): Promise<OpenStream> {
  const asked = ask(place, shown, 'POST', '/api/classification', FORM);
  asked.send(partOf('image', 'half of a pic', '; filename="a.png"'));
  return { ended: refusalOf(asked.answer), close: asked.close };
}

async function openGraphqlUpload(place: StreamPlace, shown: ShownCredential): Promise<OpenStream> {
  const query = `mutation ($file: Upload!) { submitMedia(input: { file: $file }) {
    classification { name } userErrors { code reason message } } }`;
  const asked = ask(place, shown, 'POST', '/graphql', { ...FORM, 'graphql-require-preflight': '1' });
  asked.send(`${partOf('operations', JSON.stringify({ query, variables: { file: null } }))}\r\n`);
  asked.send(`${partOf('map', JSON.stringify({ 0: ['variables.file'] }))}\r\n`);
  asked.send(partOf('0', 'half of a pic', '; filename="a.png"'));
  return { ended: refusalOf(asked.answer), close: asked.close };
}

async function openTusUpload(place: StreamPlace, shown: ShownCredential): Promise<OpenStream> {
  const tus = { 'tus-resumable': '1.0.0', 'content-length': 1_000_000 };
  const headers = { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-length': 1_000_000 };
  const asked = ask(place, shown, 'POST', '/files', headers);
  asked.send('half of a file');
  return { ended: refusalOf(asked.answer), close: asked.close };
}

/** Reads the head and no more, like a stalled line; reads the rest at the end. */
function openFile(path: string): StreamKind['open'] {
  return async (place, shown) => {
    const asked = ask(place, shown, 'GET', path.replace('LARGE', place.large));
    const response = await asked.answer;
    if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${await text(response)}`);
    response.pause();
    const { promise: ended, resolve } = Promise.withResolvers<StreamEnd>();
    response.on('end', () => resolve({ code: 'ok', message: '' }));
    const onCut = (error: Error): void => resolve({ code: 'cut', message: error.message });
    response.on('error', onCut);
    return { ended, close: asked.close, read: () => void response.resume() };
  };
}
