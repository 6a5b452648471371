/** How the appliance itself is: `appliance`. */
import { getStatus } from '../../app/appliance/appliance.ts';
import { builder, mediaKindEnum } from './builder.ts';
import { countCall } from './transport/calls.ts';

type Status = Awaited<ReturnType<typeof getStatus>>;

const modelType = builder.objectRef<Status['models'][number]>('Model').implement({
  fields: (t) => ({
    id: t.exposeID('id'),
    version: t.exposeString('version'),
    name: t.exposeString('name'),
    task: t.exposeString('task'),
    kind: t.expose('kind', { type: mediaKindEnum }),
    provider: t.exposeString('provider', { nullable: true, description: 'What really runs it.' }),
    precision: t.exposeString('precision', {
      nullable: true,
      description: '`full` or `half`; null while it is out of service.',
    }),
    precisionNote: t.exposeString('precisionNote', {
      nullable: true,
      description: 'Why it runs in full precision although half is wanted.',
    }),
    preparing: t.exposeString('preparing', {
      nullable: true,
      description: 'Providers that are being prepared for it, and since when, while `provider` answers.',
    }),
    fault: t.exposeString('fault', { nullable: true, description: 'Why it is out of service.' }),
    licence: t.exposeString('licence'),
    minimumShortSide: t.exposeInt('minimumShortSide', { nullable: true }),
    source: t.exposeString('source', { description: 'Where it comes from.' }),
    weight: t.exposeFloat('weight', { description: 'What its answer counts; 0 where it judges no origin.' }),
    added: t.exposeBoolean('added', { description: 'Whether it was added here, and can be removed.' }),
    sha256: t.exposeString('sha256', {
      description: 'Of its model file; empty where its description cannot be read.',
    }),
    figures: t.field({
      type: 'JSON',
      description: "Error rates from the model's card, one row for each quality of media.",
      resolve: ({ figures }) => figures,
    }),
  }),
});

const applianceType = builder.objectRef<Status>('Appliance').implement({
  fields: (t) => ({
    version: t.exposeString('version'),
    apiVersion: t.exposeString('apiVersion'),
    phase: t.exposeString('phase'),
    notReadyReason: t.exposeString('notReadyReason', { nullable: true }),
    isolation: t.exposeString('isolation', { nullable: true }),
    videoDecoder: t.exposeString('videoDecoder', {
      description: '`cpu`, `nvdec`, or `cpu: ` with the reason why it is not the GPU.',
    }),
    queueDepth: t.exposeInt('queueDepth'),
    running: t.exposeInt('running'),
    uptimeSeconds: t.exposeFloat('uptimeSeconds'),
    rssAnonBytes: t.expose('rssAnonBytes', { type: 'Long' }),
    diskFreeBytes: t.expose('diskFreeBytes', { type: 'Long' }),
    models: t.expose('models', { type: [modelType] }),
    publicUrl: t.string({
      description: 'What links in mails, webhooks and records begin with.',
      resolve: (_, _args, { app }) => app.config.publicUrl,
    }),
  }),
});

export function addApplianceQueries(): void {
  builder.queryField('appliance', (t) =>
    t.field({
      type: applianceType,
      nullable: true,
      description: 'State, load and models; any valid key may ask.',
      resolve: (_, _args, context) =>
        countCall(context, 'appliance', async () => {
          context.principal();
          return await getStatus(context.app);
        }),
    }),
  );
}
