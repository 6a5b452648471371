/** Signing in and out, passwords, registration, terms. Every POST must come from our own page, with the session's token. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  changePassword,
  register,
  requestPasswordReset,
  setPassword,
  verifyEmail,
} from '../app/accounts/passwords.ts';
import { listSessions, signIn, signOut, signOutEverywhere } from '../app/accounts/sessions.ts';
import { acceptTerms } from '../app/accounts/terms.ts';
import type { App } from '../app/appliance/app.ts';
import { identifyBrowser, isOwnPage, readBrowserCall, sessionCookieName } from '../app/callers/browser.ts';
import type { CallOrigin } from '../app/callers/principal.ts';
import { SESSION_SECONDS, type SignedIn } from '../app/callers/session.ts';
import { AppError, badField } from '../domain/errors.ts';
import { VERSION } from '../domain/version.ts';

/** Size of one session request: addresses, names and passwords. */
const BODY_BYTES_MAX = 16 * 1024;

type Fields = Readonly<Record<string, unknown>>;

export async function routeSessions(fastify: FastifyInstance, app: App): Promise<void> {
  await fastify.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const asText = { parseAs: 'string', bodyLimit: BODY_BYTES_MAX } as const;
    scope.addContentTypeParser('application/json', asText, (_request, body, done) => done(null, body));
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store').header('content-security-policy', "default-src 'none'");
    });
    scope.get('/session', async (request) => describe(app, request));
    routeStrangers(scope, app);
    routeSignedIn(scope, app);
  });
}

/** The page's first question; without a session the answer says how to get one. */
async function describe(app: App, request: FastifyRequest): Promise<Fields> {
  const general = {
    version: VERSION,
    isRegistrationOpen: app.config.registration.isOpen,
    areTermsRequired: app.config.termsRequired,
    isMailSent: app.mailer.folder === null,
  };
  const signedIn = findSession(app, request);
  if (signedIn === undefined) return { ...general, account: null };
  const { account } = signedIn.principal;
  await app.callRates.count(signedIn.principal);
  return {
    ...general,
    csrfToken: signedIn.session.csrfToken,
    searchElsewhere: app.config.searchElsewhere,
    account: {
      id: account.id,
      name: account.name,
      email: account.email,
      role: account.role,
      readonly: account.readonly,
      mustAcceptTerms: app.config.termsRequired && account.termsAcceptedAt === null,
      browsers: listSessions(app, signedIn).length,
    },
  };
}

function findSession(app: App, request: FastifyRequest): SignedIn | undefined {
  const call = readBrowserCall(app, request.headers);
  if (call === undefined) return undefined;
  try {
    return identifyBrowser(app, call, 'page', originOf(request));
  } catch (error) {
    if (error instanceof AppError && error.reason === 'credentials') return undefined;
    throw error;
  }
}

function routeStrangers(scope: FastifyInstance, app: App): void {
  const post = (
    path: string,
    work: (fields: Fields, request: FastifyRequest, reply: FastifyReply) => unknown,
  ) => {
    scope.post(path, { config: { errors: { withReason: true } } }, async (request, reply) => {
      if (!isOwnPage(app, request.headers))
        throw new AppError('credentials', 'only our own page may ask for this');
      return (await work(fieldsOf(request), request, reply)) ?? { ok: true };
    });
  };
  const openBrowser = async (request: FastifyRequest, reply: FastifyReply, email: string) => {
    const { cookieValue } = await signIn(app, {
      email,
      password: textField(fieldsOf(request), 'password'),
      userAgent: request.headers['user-agent'] ?? '',
      from: originOf(request),
    });
    setCookie(app, reply, cookieValue, SESSION_SECONDS);
  };
  post('/session/sign-in', (fields, request, reply) =>
    openBrowser(request, reply, textField(fields, 'email').trim()),
  );
  post('/session/request-password', (fields, request) =>
    requestPasswordReset(app, { email: fields.email, from: originOf(request) }),
  );
  post('/session/set-password', async (fields, request, reply) => {
    const token = textField(fields, 'token');
    const { email } = await setPassword(app, { token, password: fields.password, from: originOf(request) });
    // The token was proof enough: a person who has just chosen the password need not type it.
    await openBrowser(request, reply, email);
    return { email };
  });
  post('/session/verify-email', async (fields, request, reply) => {
    const [token, password] = [textField(fields, 'token'), textField(fields, 'password')];
    const { email } = await verifyEmail(app, { token, password, from: originOf(request) });
    await openBrowser(request, reply, email);
    return { email };
  });
  post('/session/register', (fields, request) =>
    register(app, {
      name: fields.name,
      email: fields.email,
      password: fields.password,
      termsAccepted: fields.termsAccepted === true,
      from: originOf(request),
    }),
  );
}

function routeSignedIn(scope: FastifyInstance, app: App): void {
  const post = (path: string, work: (signedIn: SignedIn, fields: Fields, reply: FastifyReply) => unknown) => {
    scope.post(path, { config: { errors: { withReason: true } } }, async (request, reply) => {
      const call = readBrowserCall(app, request.headers);
      if (call === undefined) throw new AppError('credentials', 'not signed in');
      const signedIn = identifyBrowser(app, call, 'token', originOf(request));
      await app.callRates.count(signedIn.principal);
      return (await work(signedIn, fieldsOf(request), reply)) ?? { ok: true };
    });
  };
  post('/session/sign-out', async (signedIn, _fields, reply) => {
    await signOut(app, signedIn);
    setCookie(app, reply, '', 0);
  });
  post('/session/sign-out-everywhere', async (signedIn, _fields, reply) => {
    const browsers = await signOutEverywhere(app, signedIn);
    setCookie(app, reply, '', 0);
    return { browsers };
  });
  post('/session/accept-terms', async (signedIn) => {
    await acceptTerms(app, signedIn);
  });
  post('/session/change-password', async ({ principal, session }, fields) => {
    const current = textField(fields, 'current');
    await changePassword(app, {
      principal,
      current,
      password: fields.password,
      exceptSessionHash: session.hash,
    });
  });
}

function setCookie(app: App, reply: FastifyReply, value: string, maxAgeSeconds: number): void {
  const name = sessionCookieName(app);
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  reply.header(
    'set-cookie',
    `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`,
  );
}

function fieldsOf({ body }: FastifyRequest): Fields {
  if (body === undefined || body === null || body === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(String(body));
  } catch {
    throw badField('body', 'expected JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badField('body', 'expected a JSON object');
  }
  return value as Fields;
}

function textField(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string' && value !== '') return value;
  throw badField(
    name,
    `expected text, found ${value === undefined || value === '' ? 'nothing' : typeof value}`,
  );
}

const originOf = ({ ip }: FastifyRequest): CallOrigin => ({ facade: 'dashboard', remoteAddress: ip });
