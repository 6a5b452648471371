/** Relay's connection over records, forward only: the index is read newest first. */

import { formatCursor, type RecordPage } from '../../app/classifications.ts';
import type { ClassificationRecord } from '../../domain/record.ts';
import { builder } from './builder.ts';
import { classificationType } from './record-types.ts';

const pageInfoType = builder.objectRef<RecordPage>('PageInfo').implement({
  fields: (t) => ({
    hasNextPage: t.boolean({ resolve: (page) => page.nextCursor !== null }),
    hasPreviousPage: t.boolean({
      description: 'Always false: pages are read forward only.',
      resolve: () => false,
    }),
    startCursor: t.string({ nullable: true, resolve: (page) => cursorOf(page.records.at(0)) }),
    endCursor: t.string({ nullable: true, resolve: (page) => cursorOf(page.records.at(-1)) }),
  }),
});

const edgeType = builder.objectRef<ClassificationRecord>('ClassificationEdge').implement({
  fields: (t) => ({
    node: t.field({ type: classificationType, resolve: (record) => record }),
    cursor: t.string({ resolve: formatCursor }),
  }),
});

export const connectionType = builder.objectRef<RecordPage>('ClassificationConnection').implement({
  fields: (t) => ({
    edges: t.field({ type: [edgeType], resolve: (page) => page.records }),
    nodes: t.field({ type: [classificationType], resolve: (page) => page.records }),
    pageInfo: t.field({ type: pageInfoType, resolve: (page) => page }),
  }),
});

function cursorOf(record: ClassificationRecord | undefined): string | null {
  return record === undefined ? null : formatCursor(record);
}
