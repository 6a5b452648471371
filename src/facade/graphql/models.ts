/** Model packs that the administrator adds; a pack that is not in the catalogue comes by gRPC. */
import { addModel } from '../../app/appliance/models.ts';
import { builder } from './builder.ts';
import { payloadTypeOf } from './operations.ts';
import { settleCall } from './transport/calls.ts';

async function* noFiles(): AsyncGenerator<never> {}

export function addModelMutations(): void {
  builder.mutationFields((t) => ({
    addModel: t.field({
      type: payloadTypeOf<string>('removeModel'),
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
            principal: context.principal(),
            catalogueName,
            download: true,
            files: noFiles(),
            acceptLicence: acceptLicence ?? '',
          };
          let model = '';
          // The daemon goes on adding the model if the caller leaves.
          for await (const step of addModel(context.app, input, new AbortController().signal)) {
            model = step.model;
          }
          return model;
        }),
    }),
  }));
}
