/** Subscriptions that ask the same with the same rights share a change: it is executed and written once for all of them. */
import { createHash } from 'node:crypto';
import { type ExecutionArgs, type ExecutionResult, execute, type GraphQLError, print } from 'graphql';
import { stampOf } from '../../../app/records/watch.ts';
import { OneTurn } from '../../../machinery/one-turn.ts';
import type { GraphqlContext } from './context.ts';
import { formatResult } from './errors.ts';
import type { Watched } from './watch-stream.ts';

export interface Payload {
  result: ExecutionResult;
  /** The payload as JSON, without what only the transport reads. */
  text: string;
}

export class Payloads {
  readonly #turn = new OneTurn<Promise<Payload>>();
  readonly #maskError: (error: unknown) => GraphQLError;

  /** `maskError`: what a client sees of an error. */
  constructor(maskError: (error: unknown) => GraphQLError) {
    this.#maskError = maskError;
  }

  /** Turns this subscription's changes into payloads. */
  of(args: ExecutionArgs): (watched: Watched<unknown>) => Promise<Payload> {
    const context = args.contextValue as GraphqlContext;
    const shared = { ...args, contextValue: withoutCaller(context) };
    const by = keyOf(args, context);
    return (watched) => {
      const make = () => this.#execute({ ...shared, rootValue: watched });
      if ('fault' in watched || !isObject(watched.record)) return make();
      return this.#turn.get({ stamp: stampOf(context.app), about: watched.record, by }, make);
    };
  }

  async #execute(args: ExecutionArgs): Promise<Payload> {
    const { errors, ...rest } = await execute(args);
    const result = errors === undefined ? rest : { ...rest, errors: errors.map(this.#maskError) };
    return { result, text: JSON.stringify(formatResult(result)) };
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Equal for two subscriptions only if all that an execution is given is equal, so that no answer could differ. */
function keyOf(
  { document, operationName, variableValues }: ExecutionArgs,
  { reader }: GraphqlContext,
): string {
  const { account, plan } = reader();
  const asked = [print(document), operationName, variableValues];
  return createHash('sha256')
    .update(JSON.stringify([account.id, account.role, plan, asked]))
    .digest('base64');
}

/** An answer for many may depend on what they have in common and on nothing else: who asks for more gets an error, not another's. */
function withoutCaller({ app, reader }: GraphqlContext): GraphqlContext {
  const { account, plan } = reader();
  const refuse = (): never => {
    throw new Error('an answer that many are given has no caller');
  };
  return {
    app,
    reader: () => ({ account: { id: account.id, role: account.role }, plan }),
    principal: refuse,
    newcomer: refuse,
    signal: NEVER,
    uploads: new Map(),
  };
}

const NEVER = new AbortController().signal;
