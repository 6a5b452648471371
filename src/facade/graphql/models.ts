/** Model packs that the administrator adds and removes; a pack that is not in the catalogue comes by gRPC. */
import { type CatalogueListing, listCatalogue } from '../../app/catalogue.ts';
import { addModel, removeModel } from '../../app/models.ts';
import { builder } from './builder.ts';
import { countCall, type Payload, settleCall } from './calls.ts';
import { userErrorType } from './user-errors.ts';

const catalogueEntryType = builder.objectRef<CatalogueListing>('CatalogueEntry').implement({
  fields: (t) => ({
    name: t.exposeID('name'),
    title: t.exposeString('title'),
    homepage: t.exposeString('homepage'),
    address: t.exposeString('address', { description: 'Where its file is fetched from.' }),
    sha256: t.exposeString('sha256'),
    bytesMax: t.expose('bytesMax', { type: 'Long' }),
    licence: t.exposeString('licence'),
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

async function* noFiles(): AsyncGenerator<never> {}

export function addModelMutations(): void {
  builder.mutationFields((t) => ({
    addModel: t.field({
      type: modelPayloadType,
      nullable: true,
      description:
        'Downloads a model of the catalogue, tries it and takes it into service. Administrators only.',
      args: { catalogueName: t.arg.string({ required: true }) },
      resolve: (_, { catalogueName }, context) =>
        settleCall(context, 'addModel', async () => {
          const input = { principal: context.principal(), catalogueName, download: true, files: noFiles() };
          let model = '';
          // A caller who leaves does not end it: the daemon was told to add it.
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
