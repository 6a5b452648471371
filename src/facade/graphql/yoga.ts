/** The GraphQL engine behind both transports: schema, limits, masking and the context of an operation. */
import { type GraphQLError, NoSchemaIntrospectionCustomRule, parse } from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import type { App } from '../../app/appliance/app.ts';
import { admitCaller, type Credential, identifyCaller } from '../../app/callers/admission.ts';
import { assertTerms } from '../../app/callers/authenticate.ts';
import type { CallOrigin, Principal } from '../../app/callers/principal.ts';
import { AppError } from '../../domain/errors.ts';
import { getSchema } from './schema.ts';
import type { GraphqlContext } from './transport/context.ts';
import { createErrorMask, withoutSuggestion } from './transport/errors.ts';
import { JSON_BYTES_MAX, OperationLimitsRule, TOKENS_MAX } from './transport/limits.ts';
import { useSubscriptions } from './transport/subscribe.ts';
import type { PendingUpload } from './transport/uploads.ts';

export const GRAPHQL_PATH = '/graphql';

export interface YogaConfig {
  /** Whether the schema may be read without a key. */
  introspection: boolean;
  graphiql: boolean;
}

/** GraphiQL takes nine megabytes, so it is loaded when a browser asks for it. */
const renderWhenAsked: NonNullable<Parameters<typeof createYoga>[0]['renderGraphiQL']> = async (options) => {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  return renderGraphiQL(options);
};

export interface Caller {
  caller: Credential & {
    /** Admitted and counted already, if the transport had to know before it read the operation. */
    admitted?: Principal | undefined;
    remoteAddress: string;
    signal: AbortSignal;
    uploads: ReadonlyMap<string, PendingUpload>;
  };
}

export type GraphqlYoga = YogaServerInstance<Caller, GraphqlContext>;

export function openYoga(app: App, config: YogaConfig): GraphqlYoga {
  const maskError = createErrorMask(app.log, !config.introspection);
  return createYoga<Caller, GraphqlContext>({
    schema: getSchema(),
    context: ({ caller }) => toContext(app, caller),
    graphqlEndpoint: GRAPHQL_PATH,
    graphiql: config.graphiql && { title: 'Assay', subscriptionsProtocol: 'WS' },
    renderGraphiQL: renderWhenAsked,
    landingPage: false,
    healthCheckEndpoint: `${GRAPHQL_PATH}/health`,
    cors: false,
    multipart: false,
    batching: false,
    logging: false,
    maxRequestBodySize: JSON_BYTES_MAX * 2,
    maskedErrors: { maskError },
    plugins: [useLimits(app, config), useSubscriptions(maskError)],
  });
}

/** Called once for each operation of either transport, and counts its call. */
async function toContext(app: App, sender: Caller['caller']): Promise<GraphqlContext> {
  const { signal, uploads } = sender;
  let found = sender.admitted ?? (await admitIfKnown(app, sender));
  const newcomer = () => {
    found ??= identifySender(app, sender);
    return found;
  };
  const principal = () => {
    const known = newcomer();
    assertTerms(app, known);
    return known;
  };
  return { app, principal, newcomer, reader: principal, signal, uploads };
}

/** Finds the caller by key or session, even before the terms are accepted. */
export function identifySender(app: App, sender: Omit<Caller['caller'], 'signal' | 'uploads'>): Principal {
  return identifyCaller(app, sender, originOf(sender));
}

/** Undefined for an unknown caller: fields that need one refuse by themselves. */
async function admitIfKnown(app: App, sender: Caller['caller']): Promise<Principal | undefined> {
  try {
    const { principal } = await admitCaller(app, sender, originOf(sender), { beforeTerms: true });
    return principal;
  } catch (error) {
    if (error instanceof AppError && error.reason !== 'rate') return undefined;
    throw error;
  }
}

export function originOf({ remoteAddress }: Pick<Caller['caller'], 'remoteAddress'>): CallOrigin {
  return { facade: 'graphql', remoteAddress };
}

function useLimits(app: App, { introspection }: YogaConfig): Plugin<Caller> {
  return {
    onParse({ setParseFn }) {
      setParseFn((source, options) => parse(source, { ...options, maxTokens: TOKENS_MAX }));
    },
    onValidate({ addValidationRule, context }) {
      addValidationRule(OperationLimitsRule);
      if (introspection || isKnown(app, context)) return;
      addValidationRule(NoSchemaIntrospectionCustomRule);
      return ({ result, setResult }) => {
        setResult((result as readonly GraphQLError[]).map(withoutSuggestion));
      };
    },
  };
}

/** Validation runs before the context exists, so the key is looked up here. */
function isKnown(app: App, { caller }: Caller): boolean {
  try {
    assertTerms(app, identifySender(app, caller));
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
