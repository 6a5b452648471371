import { InvalidArgumentError } from 'commander';
import { DESK_ROLES } from '../../domain/desk.ts';
import { type Desk, DeskRole, DeskService } from '../../grpc/gen/assay/v1/desk_service_pb.ts';
import { rowIdParser } from '../daemon/lookups.ts';
import { change, commandsOf, listing, type Argument as Taken } from '../rows/row.ts';
import { nameOf } from '../views/enum-word.ts';

const { method } = DeskService;
const ID: Taken = ['id', '<desk>', 'its id, as assay desk list shows it', rowIdParser('desk')];
const NAME: Taken = ['name', '<name>', 'its name'];
const EMAIL: Taken = ['email', '<email>', 'e-mail address of an account that the desk is for'];
const ROLE: Taken = [
  'role',
  '<role>',
  `one of ${DESK_ROLES.join(', ')}; each includes those before it`,
  parseRole,
];

function parseRole(value: string): string {
  const known = DESK_ROLES.find((role) => role === value);
  if (known === undefined) throw new InvalidArgumentError(`It must be one of ${DESK_ROLES.join(', ')}.`);
  return known;
}

const named = (what: string) => ({ text: ({ id, name }: Desk) => `${what}: desk ${id}, ${name}` });

export const addDeskCommand = commandsOf('desk', 'accounts that work on the same records', [
  listing('list', 'list the desks that you are a member of or look after', method.listDesks, 'desks', {
    isDefault: true,
    json: 'one desk per line',
    none: 'there is no desk of yours',
    columns: {
      id: 'id',
      name: 'name',
      'your role': ({ ownRole }) => nameOf(DeskRole, ownRole),
      members: ({ members }) =>
        members.map(({ name, role }) => `${name} (${nameOf(DeskRole, role)})`).join(', '),
    },
  }),
  change('add', 'make a desk', method.addDesk, 'desk', { takes: [NAME], ...named('made') }),
  change('rename', 'give it another name', method.renameDesk, 'desk', {
    takes: [ID, NAME],
    ...named('renamed'),
  }),
  change('remove', 'remove it, once it has no records', method.removeDesk, 'desk', {
    takes: [ID],
    ...named('removed'),
  }),
  change('member', 'add an account, or give it another role', method.setDeskMember, 'desk', {
    takes: [ID, EMAIL, ROLE],
    ...named('member set'),
  }),
  change('leave', 'remove a member; what it sent stays with the desk', method.removeDeskMember, 'desk', {
    takes: [ID, EMAIL],
    ...named('member removed'),
  }),
]);
