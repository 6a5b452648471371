import { formatTime, fromTimestamp } from '../../../domain/time.ts';
import { Outcome } from '../../../grpc/gen/assay/v1/classification_pb.ts';
import {
  ClassificationService,
  type SavedFilter,
} from '../../../grpc/gen/assay/v1/classification_service_pb.ts';
import { MediaKind } from '../../../grpc/gen/assay/v1/media_pb.ts';
import { toMessage } from '../../../grpc/messages.ts';
import type { NarrowingOptions } from '../../daemon/saved-filter.ts';
import { type Argument, change, commandsOf, listing, outcome } from '../../rows/row.ts';
import { nameOf } from '../../views/enum-word.ts';
import { narrowingOptions } from './list.ts';

const { method } = ClassificationService;
const DESK = { [method.saveFilter.input.typeName]: { deskId: ({ desk }: NarrowingOptions) => desk } };
const NAME: readonly Argument[] = [['name', '<name>', 'name of the filter']];

export const addFiltersCommand = commandsOf('filters', 'saved filters, for assay list --saved NAME', [
  listing('list', 'list the saved filters of your account', method.listSavedFilters, 'filters', {
    isDefault: true,
    json: 'one filter per line',
    columns: { name: 'name', 'narrowed by': describe },
  }),
  change('save', 'save a filter; one of the same name is replaced', method.saveFilter, 'filter', {
    takes: NAME,
    options: narrowingOptions(),
    request: (said: NarrowingOptions) => toMessage(method.saveFilter.input, said, DESK),
    text: (filter) => `saved: ${filter.name}: ${describe(filter)}`,
  }),
  outcome('remove', 'remove a saved filter', method.removeSavedFilter, {
    takes: NAME,
    outcome: (_, { name }) => ({ name, state: 'removed' }),
    text: (_, { name }) => `removed: ${name}`,
  }),
]);

function describe({ kind, outcome, search, text, since, until, deskId, waitsForMe }: SavedFilter): string {
  const parts = [
    nameOf(MediaKind, kind),
    nameOf(Outcome, outcome),
    search === '' ? '' : `"${search}"`,
    text === '' ? '' : `said "${text}"`,
    since === undefined ? '' : `since ${formatTime(fromTimestamp(since))}`,
    until === undefined ? '' : `until ${formatTime(fromTimestamp(until))}`,
    deskId === undefined ? '' : deskId === 0n ? 'of no desk' : `of desk ${deskId}`,
    waitsForMe ? 'waits for your sign-off' : '',
  ];
  return parts.filter(Boolean).join(', ');
}
