/** Sends a sound to the running daemon by REST and waits for its record by GraphQL, as the evaluations of sound do. */

const POLL_MS = 500;
const ENDED_MS_MAX = 600_000;
/** A busy daemon refuses for a while and says for how long. */
const ATTEMPTS_MAX = 20;
const RETRY_SECONDS = 3;
const BUSY = new Set([429, 503]);

export const DAEMON = process.env.ASSAY_PUBLIC_URL ?? 'http://127.0.0.1:8480';
export const HEADERS = { 'x-api-key': process.env.ASSAY_API_KEY ?? '', accept: 'application/json' };

/** Its identifier. Throws if it is refused for good. */
export async function sendSound(
  bytes: Uint8Array<ArrayBuffer>,
  name: string,
  options: Readonly<Record<string, string>> = {},
): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const form = new FormData();
    form.set('audio', new Blob([bytes]), name);
    for (const [option, value] of Object.entries({ no_cache: 'true', ...options })) form.set(option, value);
    const url = `${DAEMON}/api/classification_audio`;
    const sent = await fetch(url, { method: 'POST', headers: HEADERS, body: form });
    const body = await sent.text();
    const { identifier } = (sent.ok ? JSON.parse(body) : {}) as { identifier?: string };
    if (identifier !== undefined) return identifier;
    if (!BUSY.has(sent.status) || attempt === ATTEMPTS_MAX)
      throw new Error(`${name} was refused (${sent.status}): ${body.slice(0, 500)}`);
    await pause(1000 * (Number(sent.headers.get('retry-after')) || RETRY_SECONDS));
  }
}

/** The fields of its record once it is done; `fields` is GraphQL. Throws if its analysis failed. */
export async function endedSound<Fields extends object>(identifier: string, fields: string): Promise<Fields> {
  const query = `{ classification(identifier: "${identifier}") { status errors ... on AudioClassification { ${fields} } } }`;
  const headers = { ...HEADERS, 'content-type': 'application/json' };
  const until = Date.now() + ENDED_MS_MAX;
  while (Date.now() < until) {
    const init = { method: 'POST', headers, body: JSON.stringify({ query }) };
    const response = await fetch(`${DAEMON}/graphql`, init);
    const { data, errors } = (await response.json()) as {
      data?: { classification: (Fields & { status: string; errors: string }) | null };
      errors?: { message: string }[];
    };
    const record = data?.classification;
    if (record == null) throw new Error(errors?.[0]?.message ?? `there is no record ${identifier}`);
    if (record.status === 'DONE') return record;
    if (record.status === 'ERRORED') throw new Error(record.errors);
    await pause(POLL_MS);
  }
  throw new Error('a recording took longer than ten minutes');
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
