/** Prints the GraphQL schema: `node schema/print-graphql.ts > schema/assay.graphql`. */
import { lexicographicSortSchema, printSchema } from 'graphql';
import { getSchema } from '../src/facade/graphql/schema.ts';

export function printGraphql(): string {
  return `${printSchema(lexicographicSortSchema(getSchema()))}\n`;
}

if (import.meta.main) process.stdout.write(printGraphql());
