/** Clients of REST by others: made from the description that the box hands out, or asking in their own way. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeIdentity } from '../../certificates.ts';
import { TEST_KEY, TestDaemon } from '../../daemon.ts';
import { addressesOf, goTool, have, jar, npmWith, pythonWith, run, type Workplace } from './tools.ts';

const GENERATOR = '7.25.0';
const BRUNO = '@usebruno/cli@4.1.0';

const K6 = 'go.k6.io/k6@v1.4.2';
const K6_CALLS = 5000;
const K6_CONCURRENT = 20;

const REQUESTS_MIN = 5;

/** What the script below prints. */
interface K6Summary {
  count: number;
  failed: number;
  rate: number;
  /** Milliseconds. */
  p99: number;
}

/** What Bruno writes, of which these fields are looked at. */
interface BrunoReport {
  results: { name: string; response: { status: number } }[];
}

const PYTHON_CLIENT = `
import os, sys, time
import openapi_client
from openapi_client.api.account_api import AccountApi
from openapi_client.api.records_api import RecordsApi
from openapi_client.api.submission_api import SubmissionApi

configuration = openapi_client.Configuration(host=os.environ["ASSAY_URL"], api_key={"apiKey": os.environ["ASSAY_API_KEY"]})
with openapi_client.ApiClient(configuration) as client:
    identifier = SubmissionApi(client).post_classification(image=sys.argv[1]).identifier
    for _ in range(600):
        record = RecordsApi(client).get_classification_by_identifier(identifier)
        if record.status != "new":
            break
        time.sleep(0.1)
    print(identifier, record.status, record.verdict.classification)
    print(AccountApi(client).get_user_credits().available_credits)
    try:
        RecordsApi(client).get_classification_by_identifier("0" * 64)
    except openapi_client.exceptions.NotFoundException as refused:
        print(refused.status)
`;

/** OpenAPI Generator's Python client, built from `/openapi.json` as it is served. */
export async function openApiGenerator(workplace: Workplace): Promise<string> {
  const { folder, daemon, picture } = workplace;
  const program = await jar('org.openapitools', 'openapi-generator-cli', GENERATOR);
  const client = join(folder, 'openapi-client');
  await have('java', ['-version']);
  await run('java', [
    '-jar',
    program,
    'generate',
    '-g',
    'python',
    '-i',
    `${daemon.http}/openapi.json`,
    '-o',
    client,
  ]);
  const bin = await pythonWith(workplace, 'openapi-python', client);
  const script = join(folder, 'openapi-client.py');
  await writeFile(script, PYTHON_CLIENT);
  const said = await run(join(bin, 'python'), [script, picture], { env: addressesOf(workplace) });
  match(said, /^[0-9a-f]{64} done artificial\n\d+\n404\n$/);
  return `Python client of OpenAPI Generator ${GENERATOR}: a picture handed in, asked for, judged; a 404 is its exception`;
}

/** Reads, and every tenth time a picture that the box has seen; what it printed is read by `k6` below. */
const K6_SCRIPT = `
import http from 'k6/http';
import { check } from 'k6';

const CALLS = Number(__ENV.CALLS);
export const options = {
  vus: Number(__ENV.CONCURRENT), iterations: CALLS, summaryTrendStats: ['p(99)'],
  thresholds: { checks: ['rate==1'], http_req_failed: ['rate==0'] },
};
const picture = open(__ENV.PICTURE, 'b');
const address = __ENV.ASSAY_URL + '/api/classification';
const params = { headers: { 'x-api-key': __ENV.ASSAY_API_KEY, accept: 'application/json' } };
const submit = () => http.post(address, { image: http.file(picture, 'k6.png') }, params).json('identifier');

export const setup = submit;
export default function (identifier) {
  if (__ITER % 10 === 0) check(submit(), { accepted: (answer) => /^[0-9a-f]{64}$/.test(answer) });
  else check(http.get(address + '/' + identifier, params), { read: (answer) => answer.json('identifier') === identifier });
}
export function handleSummary({ metrics }) {
  const { iterations, http_reqs, http_req_duration, checks } = metrics;
  return { stdout: JSON.stringify({
    count: iterations.values.count, failed: checks.values.fails,
    rate: http_reqs.values.rate, p99: http_req_duration.values['p(99)'],
  }) };
}
`;

/** A load over REST. */
export async function k6(workplace: Workplace): Promise<string> {
  const program = await goTool(workplace, K6);
  const script = join(workplace.folder, 'k6.js');
  await writeFile(script, K6_SCRIPT);
  const sizes = { CALLS: String(K6_CALLS), CONCURRENT: String(K6_CONCURRENT) };
  const said = await run(program, ['run', '--quiet', '--no-usage-report', script], {
    env: { ...addressesOf(workplace), ...sizes, PICTURE: workplace.picture },
  });
  const { count, failed, rate, p99 } = JSON.parse(said.slice(said.indexOf('{"count"'))) as K6Summary;
  deepEqual({ count, failed }, { count: K6_CALLS, failed: 0 });
  return `k6: ${count} calls, one in ten a picture, by ${K6_CONCURRENT} at once, all answered, ${rate.toFixed(0)} a second, p99 ${p99.toFixed(0)} ms`;
}

/** The description opened by Bruno's command line, and the requests of it that need no identifier run. */
export async function bruno(workplace: Workplace): Promise<string> {
  const { folder, daemon } = workplace;
  const modules = await npmWith(workplace, 'bruno', BRUNO);
  const program = join(modules, 'node_modules', '.bin', 'bru');
  const collection = join(folder, 'bruno', 'collection');
  const source = ['--source', `${daemon.http}/openapi.json`, '--output', join(folder, 'bruno')];
  await run(program, [
    'import',
    'openapi',
    ...source,
    '--collection-name',
    'collection',
    '--collection-format',
    'bru',
  ]);
  const report = join(folder, 'bruno.json');
  const auth = join(collection, 'collection.bru');
  await writeFile(
    auth,
    `headers {\n  X-Api-Key: ${TEST_KEY}\n}\nvars:pre-request {\n  baseUrl: ${daemon.http}\n}\n`,
  );
  await run(program, ['run', 'account', 'operations', '--output', report], { cwd: collection });
  const [{ results }] = JSON.parse(await readFile(report, 'utf8')) as [BrunoReport];
  deepEqual(
    results.filter(({ response }) => response.status !== 200).map(({ name }) => name),
    [],
  );
  ok(results.length >= REQUESTS_MIN);
  return `Bruno's command line (${BRUNO}): ${results.length} requests of the folders account and operations answered with 200`;
}

/** curl that would rather speak HTTP/2: in plain text by an upgrade that the box does not take, over TLS by ALPN. */
export async function curlHttp2({ folder, daemon }: Workplace): Promise<string> {
  const format = [
    '--silent',
    '--show-error',
    '--output',
    join(folder, 'curl.out'),
    '--write-out',
    '%{http_code} %{http_version}',
  ];
  const key = ['--header', `x-api-key: ${TEST_KEY}`];
  const path = '/api/user/credits';
  equal(await run('curl', ['--http2', ...format, ...key, `${daemon.http}${path}`]), '200 1.1');
  const authority = makeIdentity({ name: 'Authority' });
  const server = makeIdentity({ name: 'localhost', issuer: authority });
  const [ca, cert, secret] = ['ca.pem', 'cert.pem', 'key.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(ca, authority.cert);
  await writeFile(cert, server.cert);
  await writeFile(secret, server.key);
  await using secured = await TestDaemon.start({
    env: { ASSAY_TLS_CERT_FILE: cert, ASSAY_TLS_KEY_FILE: secret },
    awaitReady: false,
  });
  const port = new URL(secured.http).port;
  const url = `https://localhost:${port}${path}`;
  equal(await run('curl', ['--http2', '--cacert', ca, ...format, ...key, url]), '200 1.1');
  return 'curl --http2: answered over HTTP/1.1, in plain text and over TLS';
}
