/** The examination of the box. */
import { FINDING_STATES, type Finding } from '../../app/appliance/doctor/finding.ts';
import { examine } from '../../app/appliance/doctor.ts';
import { builder, upperCaseValues } from './builder.ts';
import { countCall } from './transport/calls.ts';

const stateEnum = builder.enumType('FindingState', { values: upperCaseValues(FINDING_STATES) });

const findingType = builder.objectRef<Finding>('Finding').implement({
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What was looked at.' }),
    state: t.expose('state', { type: stateEnum }),
    found: t.exposeString('found'),
    advice: t.exposeString('advice', { description: 'What to do; empty where all is good.' }),
  }),
});

export function addDoctorQueries(): void {
  builder.queryField('findings', (t) =>
    t.field({
      type: [findingType],
      nullable: true,
      description: 'What is right and wrong with the box, and what to do. Administrators only.',
      resolve: (_, _args, context) =>
        countCall(context, 'findings', () => examine(context.app, { principal: context.principal() })),
    }),
  );
}
