import { AccountService } from '../../grpc/gen/assay/v1/account_service_pb.ts';
import { DeliveryState } from '../../grpc/gen/assay/v1/webhook_pb.ts';
import { commandsOf, listing, outcome } from '../rows/row.ts';
import { nameOf } from '../views/enum-word.ts';

const { method } = AccountService;

const SECRET = {
  outcome: ({ secret }: { secret: string }) => ({ secret }),
  text: ({ secret }: { secret: string }) => secret,
};

export const addWebhookCommand = commandsOf('webhook', 'the webhooks of your account', [
  outcome(
    'secret',
    'print the secret that they are signed with (Standard Webhooks)',
    method.getWebhookSecret,
    SECRET,
  ),
  outcome(
    'rotate',
    'make a new secret and print it; the old one no longer signs',
    method.rotateWebhookSecret,
    SECRET,
  ),
  listing('deliveries', 'list what was sent, newest first', method.listDeliveries, 'deliveries', {
    json: 'one delivery per line, with every attempt',
    columns: {
      id: 'id',
      made: 'createdAt',
      state: 'state',
      attempts: ({ attempts }) => String(attempts.length),
      'last answer': ({ attempts }) => attempts.at(-1)?.error || String(attempts.at(-1)?.status ?? ''),
      to: 'url',
    },
  }),
  outcome('replay', 'send a delivery again', method.replayDelivery, {
    takes: [['id', '<delivery>', 'its id, as assay webhook deliveries shows it']],
    outcome: ({ delivery }, { id }) => ({ id, state: nameOf(DeliveryState, delivery?.state) }),
    text: ({ delivery }, { id }) => `${id}: ${nameOf(DeliveryState, delivery?.state)}`,
  }),
]);
