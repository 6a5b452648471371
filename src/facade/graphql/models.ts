/** Model packs that the administrator adds and removes; a pack that is not in the catalogue comes by gRPC. */
import { type CatalogueListing, listCatalogue } from '../../app/appliance/catalogue.ts';
import { type BenchedModel, benchModels } from '../../app/appliance/model-bench.ts';
import { readModelCard } from '../../app/appliance/model-card.ts';
import { addModel, removeModel } from '../../app/appliance/models.ts';
import { builder } from './builder.ts';
import { countCall, type Payload, settleCall } from './transport/calls.ts';
import { userErrorType } from './transport/user-errors.ts';
import { openWatch, recordOrThrow } from './transport/watch-stream.ts';

const catalogueEntryType = builder.objectRef<CatalogueListing>('CatalogueEntry').implement({
  fields: (t) => ({
    name: t.exposeID('name'),
    title: t.exposeString('title'),
    homepage: t.exposeString('homepage'),
    address: t.exposeString('address', { description: 'Where its file is fetched from.' }),
    sha256: t.exposeString('sha256'),
    bytesMax: t.expose('bytesMax', { type: 'Long' }),
    sizeBytes: t.expose('sizeBytes', { type: 'Long', description: 'Of the file; 0 where it is not known.' }),
    licence: t.exposeString('licence'),
    licenceAccept: t.exposeString('licenceAccept', {
      description: 'A licence that forbids some uses: addModel must name it. Empty where there is none.',
    }),
    task: t.exposeString('task', { description: 'What it judges.' }),
    family: t.exposeString('family', {
      description: 'Models of one family share their errors and have one voice; empty where it has no other.',
    }),
    measured: t.exposeStringList('measured', { description: 'Who measured what, on which media.' }),
    installed: t.exposeBoolean('installed'),
  }),
});

/** The model that was added or removed. */
const modelPayloadType = builder.objectRef<Payload<{ model: string }>>('ModelPayload').implement({
  fields: (t) => ({
    model: t.string({
      nullable: true,
      description: 'The one that was added, as id@version, or the id of the one that was removed.',
      resolve: ({ value }) => value?.model ?? null,
    }),
    userErrors: t.expose('userErrors', { type: [userErrorType] }),
  }),
});

export function addModelQueries(): void {
  builder.queryField('modelCard', (t) =>
    t.string({
      nullable: true,
      description: 'What a model was trained on, how often it errs and where it fails, in Markdown.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (_, { id }, context) =>
        countCall(context, 'modelCard', () => {
          context.principal();
          return readModelCard(context.app, { id });
        }),
    }),
  );
  builder.queryField('catalogue', (t) =>
    t.field({
      type: [catalogueEntryType],
      nullable: true,
      description: 'Models of others that can be added. Administrators only.',
      resolve: (_, _args, context) =>
        countCall(context, 'catalogue', () => listCatalogue(context.app, { principal: context.principal() })),
    }),
  );
}

const benchedType = builder.objectRef<BenchedModel>('BenchedModel').implement({
  fields: (t) => ({
    id: t.exposeID('id'),
    version: t.exposeString('version'),
    provider: t.exposeString('provider', { description: 'What really ran it.' }),
    items: t.exposeInt('items', { description: 'Patches, windows or pictures that were run.' }),
    itemsPerSecond: t.exposeFloat('itemsPerSecond'),
    singleMs: t.exposeFloat('singleMs', { description: 'Milliseconds of one item alone.' }),
    error: t.exposeString('error', { description: 'Why it could not be measured; empty where it was.' }),
  }),
});

export function addModelSubscriptions(): void {
  builder.subscriptionField('modelBench', (t) =>
    t.field({
      type: benchedType,
      nullable: true,
      description:
        'How fast each model answers, beside the other work, one after the other. Administrators only.',
      subscribe: (_, _args, context) =>
        countCall(context, 'benchModels', () => {
          const principal = context.principal();
          return openWatch(context, (signal) => benchModels(context.app, { principal }, signal));
        }),
      resolve: recordOrThrow,
    }),
  );
}

async function* noFiles(): AsyncGenerator<never> {}

export function addModelMutations(): void {
  builder.mutationFields((t) => ({
    addModel: t.field({
      type: modelPayloadType,
      nullable: true,
      description:
        'Downloads a model of the catalogue, tries it and takes it into service. Administrators only.',
      args: {
        catalogueName: t.arg.string({ required: true }),
        acceptLicence: t.arg.string({
          description: "The licence that is accepted, where the catalogue's entry has a licenceAccept.",
        }),
      },
      resolve: (_, { catalogueName, acceptLicence }, context) =>
        settleCall(context, 'addModel', async () => {
          const input = {
            ...{ principal: context.principal(), catalogueName, download: true, files: noFiles() },
            acceptLicence: acceptLicence ?? '',
          };
          let model = '';
          // A caller who leaves does not end it: the daemon has the order to add it.
          for await (const step of addModel(context.app, input, new AbortController().signal)) {
            model = step.model;
          }
          return { model };
        }),
    }),
    removeModel: t.field({
      type: modelPayloadType,
      nullable: true,
      description: 'Removes a model that was added; records keep naming it. Administrators only.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (_, { id }, context) =>
        settleCall(context, 'removeModel', async () => {
          await removeModel(context.app, { principal: context.principal(), id: String(id) });
          return { model: String(id) };
        }),
    }),
  }));
}
