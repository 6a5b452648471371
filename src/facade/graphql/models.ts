/** Model packs that the administrator adds, and how fast they are; a pack that is not in the catalogue comes by gRPC. */
import { benchModels } from '../../app/appliance/model-bench.ts';
import { addModel } from '../../app/appliance/models.ts';
import { BENCHED_MODEL } from '../../domain/contract/appliance.ts';
import { builder } from './builder.ts';
import { typeOfNoun } from './nouns.ts';
import { payloadTypeOf } from './operations.ts';
import { countCall, settleCall } from './transport/calls.ts';
import { openWatch, recordOrThrow } from './transport/watch-stream.ts';

export function addModelSubscriptions(): void {
  builder.subscriptionField('modelBench', (t) =>
    t.field({
      type: typeOfNoun(BENCHED_MODEL),
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
