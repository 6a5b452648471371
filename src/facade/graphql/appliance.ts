/** How the appliance itself is: `appliance`. */

import { type ApplianceStatus, getStatus } from '../../app/appliance/appliance.ts';
import { APPLIANCE, MODEL, type ModelStatus } from '../../domain/contract/appliance.ts';
import { builder } from './builder.ts';
import { defineNoun, fieldsOf } from './nouns.ts';
import { countCall } from './transport/calls.ts';

defineNoun<ModelStatus>({ name: 'Model', fields: MODEL });

const applianceType = builder.objectRef<ApplianceStatus>('Appliance').implement({
  fields: (t) => ({
    ...fieldsOf(t, APPLIANCE),
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
