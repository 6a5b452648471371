import type { ApplianceStatus } from '../../app/appliance/appliance.ts';
import { APPLIANCE, MODEL, type ModelStatus } from '../../domain/contract/appliance.ts';
import { defineNoun, fieldsOf, nameType } from './nouns.ts';

defineNoun<ModelStatus>({ name: 'Model', fields: MODEL });

nameType<ApplianceStatus>('Appliance').implement({
  fields: (t) => ({
    ...fieldsOf(t, APPLIANCE),
    publicUrl: t.string({
      description: 'What links in mails, webhooks and records begin with.',
      resolve: (_, _args, { app }) => app.config.publicUrl,
    }),
  }),
});
