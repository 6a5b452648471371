/** One upload over REST, and one record, waited for. The form is built once: building it is not what is measured. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { TEST_KEY } from '../test/daemon.ts';

const BOUNDARY = 'assay-bench-boundary';
const POLL_MS = 50;
const POLLS_MAX = 6000;

export function toForm(jpeg: Buffer, options: Readonly<Record<string, string>> = {}): Buffer {
  const head = [
    ...Object.entries(options).flatMap(([name, value]) => [
      `--${BOUNDARY}`,
      `content-disposition: form-data; name="${name}"`,
      '',
      value,
    ]),
    `--${BOUNDARY}`,
    'content-disposition: form-data; name="image"; filename="bench.jpg"',
    'content-type: image/jpeg',
    '\r\n',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(head), jpeg, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}

/** The answer's body: the identifier, if Assay answers. */
export async function post(origin: string, form: Buffer): Promise<string> {
  const outgoing = request(`${origin}/api/classification`, {
    method: 'POST',
    headers: {
      'x-api-key': TEST_KEY,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': form.length,
    },
  });
  outgoing.end(form);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const body = await text(response);
  if (response.statusCode !== 200) throw new Error(`an upload was answered ${response.statusCode}: ${body}`);
  return body.trim();
}

export interface Answer {
  headers: Record<string, string>;
  body: string;
}

export async function getEndedRecord(origin: string, identifier: string): Promise<Answer> {
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    const response = await fetch(`${origin}/api/classification/${identifier}`, {
      headers: { 'x-api-key': TEST_KEY },
    });
    const body = await response.text();
    const record = JSON.parse(body) as { status?: string };
    if (record.status !== 'new') return { headers: Object.fromEntries(response.headers), body };
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`${identifier} did not end`);
}
