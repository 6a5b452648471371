/** GraphQL over HTTP with one key: operations, and subscriptions as server-sent events. */
import assert from 'node:assert/strict';

export type Data = Record<string, unknown>;

export interface GraphqlAnswer {
  // Its shape is the query's.
  // biome-ignore lint/suspicious/noExplicitAny: each test names the fields that it asked for
  data?: any;
  errors?: { message: string; path?: (string | number)[]; extensions?: { code?: string; reason?: string } }[];
}

export class GraphqlCaller {
  readonly #url: string;
  readonly #key: string;

  constructor(http: string, key: string) {
    this.#url = `${http}/graphql`;
    this.#key = key;
  }

  async ask(query: string, variables: Data = {}): Promise<GraphqlAnswer> {
    const response = await this.#post(query, variables, 'application/json');
    return (await response.json()) as GraphqlAnswer;
  }

  /** The data of an operation that must succeed. */
  async read(query: string, variables: Data = {}): Promise<NonNullable<GraphqlAnswer['data']>> {
    const { data, errors } = await this.ask(query, variables);
    assert.equal(errors, undefined, JSON.stringify(errors));
    return data;
  }

  /** Opens the subscription; leaving the loop closes it. */
  async *subscribe(query: string): AsyncGenerator<NonNullable<GraphqlAnswer['data']>> {
    const response = await this.#post(query, {}, 'text/event-stream');
    assert(response.body !== null);
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let text = '';
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        text += decoder.decode(part.value, { stream: true });
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) yield* dataOf(event);
      }
    } finally {
      await reader.cancel();
    }
  }

  #post(query: string, variables: Data, accept: string): Promise<Response> {
    return fetch(this.#url, {
      method: 'POST',
      headers: { 'x-api-key': this.#key, 'content-type': 'application/json', accept },
      body: JSON.stringify({ query, variables }),
    });
  }
}

/** A comment that keeps the connection open has no data. */
function* dataOf(event: string): Generator<NonNullable<GraphqlAnswer['data']>> {
  const line = /^data: ?(.+)$/m.exec(event)?.[1];
  if (line === undefined) return;
  const { data, errors } = JSON.parse(line) as GraphqlAnswer;
  assert.equal(errors, undefined, line);
  yield data;
}
