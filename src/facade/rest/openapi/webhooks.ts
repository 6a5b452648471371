/** The webhook in the description: the result of a submission, the one call that Assay makes by itself. */
import { EXAMPLES } from './examples.ts';
import type { Schema } from './schema.ts';
import { reference } from './schemas.ts';

function header(name: string, description: string, schema: Schema): Schema {
  return { name, in: 'header', required: true, description, schema };
}

const SIGNATURE_HEADERS: readonly Schema[] = [
  header('webhook-id', 'stays the same when a delivery is repeated, so that it can be told', {
    type: 'string',
  }),
  header('webhook-timestamp', 'seconds since 1970 of this attempt', { type: 'string', pattern: '^[0-9]+$' }),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and the HMAC-SHA256 of `id.timestamp.body` in Base64, under the secret of the account',
    { type: 'string' },
  ),
];

const RECORDS = ['ImageClassification', 'VideoClassification', 'AudioClassification'];

export const WEBHOOKS: Record<string, Schema> = {
  classificationEnded: {
    post: {
      operationId: 'classificationEnded',
      tags: ['webhooks'],
      summary: 'The record, once its analysis has ended',
      description:
        'Sent to the `webhook_url` of a submission where the plan enables it; not for an answer from the cache. ' +
        'An answer other than 2xx is repeated with growing delays for about a day, not before its `Retry-After`.',
      security: [],
      parameters: SIGNATURE_HEADERS,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { anyOf: RECORDS.map(reference) },
            examples: {
              image: { value: EXAMPLES.image },
              video: { value: EXAMPLES.video },
              audio: { value: EXAMPLES.audio },
            },
          },
        },
      },
      responses: {
        '2XX': { description: 'taken' },
        410: { description: 'nobody listens there any more: the address gets no further calls' },
        default: { description: 'not taken; redirects are not followed' },
      },
    },
  },
};
