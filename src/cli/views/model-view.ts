import type { Model } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';

type Place = Pick<Model, 'fault' | 'provider' | 'precision' | 'precisionNote' | 'preparing' | 'resident'>;

/** What runs a model and how, in a few words, or why nothing runs it. */
export function describePlace(place: Place): string {
  const { fault, provider, precision, precisionNote, preparing, resident } = place;
  if (fault !== '') return fault;
  if (provider === '') return 'not loaded';
  const half = precision === 'half' ? ' in half precision' : '';
  const full = precisionNote === '' ? '' : ` in full precision (${precisionNote})`;
  // Only administrators see it: for others nothing is printed.
  const rest = resident ? ', in memory' : '';
  return `${provider}${half}${full}${preparing === '' ? '' : `, preparing ${preparing}`}${rest}`;
}
