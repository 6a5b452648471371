/** The GraphQL documents of the page, read from page/, and what is wrong with them by the schema. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  getNamedType,
  isCompositeType,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  parse,
  print,
  separateOperations,
  specifiedRules,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { FINDINGS, RECORD } from '../src/domain/contract/record.ts';
import type { FieldRow, Fields } from '../src/domain/field.ts';
import { getSchema } from '../src/facade/graphql/schema.ts';
import { OperationLimitsRule } from '../src/facade/graphql/transport/limits.ts';

export const PAGE_FOLDER = join(import.meta.dirname, '..', 'page');

/** Its order does not depend on where a field is declared. */
export const schema = lexicographicSortSchema(getSchema());

const ROWS: Fields = { ...RECORD, ...FINDINGS };
/** The fields of every record that have a label, by their names in GraphQL. */
export const RECORD_FACTS = Object.entries(ROWS).flatMap(([name, row]): [string, FieldRow][] =>
  row.label === undefined ? [] : [[row.documented ?? name, row]],
);

/** The fragment `AllOfX` means all fields of the type X that have no fields of their own. */
const ALL_OF = /^AllOf(\w+)$/;

/** All documents of the page with the fragments that stand for all fields of a type. */
export function readDocuments(): DocumentNode {
  const files = globSync('**/*.graphql', { cwd: PAGE_FOLDER }).sort();
  const texts = files.map((file) => readFileSync(join(PAGE_FOLDER, file), 'utf8'));
  const written = withDefaults(withMistakes(parse(texts.join('\n'))));
  const types = new Set<string>();
  visit(written, {
    FragmentSpread({ name }) {
      const [, type] = ALL_OF.exec(name.value) ?? [];
      if (type !== undefined) types.add(type);
    },
  });
  const added = [...types].sort().map((name) => `fragment AllOf${name} on ${name} { ${leavesOf(name)} }`);
  added.push(`fragment RecordFacts on Classification { ${RECORD_FACTS.map(([name]) => name).join(' ')} }`);
  return parse([print(written), ...added].join('\n'));
}

/** A field that names none of its own fields takes the page's fragment of its type's name, or all of its type that have none. */
function withDefaults(documents: DocumentNode): DocumentNode {
  const fragments = new Set(
    documents.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [one.name.value] : [])),
  );
  const types = new TypeInfo(schema);
  const addDefault = (field: FieldNode): FieldNode | undefined => {
    const type = getNamedType(types.getType());
    if (field.selectionSet !== undefined || !isObjectType(type)) return undefined;
    const value = fragments.has(type.name) ? type.name : `AllOf${type.name}`;
    const spread = { kind: Kind.FRAGMENT_SPREAD, name: { kind: Kind.NAME, value } } as const;
    return { ...field, selectionSet: { kind: Kind.SELECTION_SET, selections: [spread] } };
  };
  return visit(documents, visitWithTypeInfo(types, { Field: { leave: addDefault } }));
}

/** Adds to each mutation the caller's mistakes if it lacks them, and all arguments if it declares none. */
function withMistakes(documents: DocumentNode): DocumentNode {
  return visit(documents, {
    OperationDefinition({ operation, name, variableDefinitions = [], selectionSet }) {
      const [field] = selectionSet.selections;
      if (operation !== 'mutation' || field?.kind !== Kind.FIELD || name === undefined) return undefined;
      const { name: mutation, selectionSet: asked, arguments: passed = [] } = field;
      const [head, call] =
        variableDefinitions.length === 0 && passed.length === 0
          ? argumentsOf(mutation.value)
          : [variableDefinitions, passed].map(listed);
      const fields = asked?.selections ?? [];
      const isSaid = fields.some((one) => one.kind === Kind.FIELD && one.name.value === 'userErrors');
      const answer = [...fields.map(print), isSaid ? '' : 'userErrors { ...Fault }'].join(' ');
      const [whole] = parse(
        `mutation ${name.value}${head} { ${mutation.value}${call} { ${answer} } }`,
      ).definitions;
      return whole;
    },
  });
}

function argumentsOf(mutation: string): string[] {
  const taken = schema.getMutationType()?.getFields()[mutation]?.args;
  if (taken === undefined) throw new Error(`there is no mutation ${mutation}`);
  return [
    inBrackets(taken.map(({ name, type }) => `$${name}: ${type}`)),
    inBrackets(taken.map(({ name }) => `${name}: $${name}`)),
  ];
}

const listed = (nodes: readonly ASTNode[]): string => inBrackets(nodes.map(print));
const inBrackets = (parts: readonly string[]): string => (parts.length === 0 ? '' : `(${parts.join(', ')})`);

function leavesOf(name: string): string {
  const type = schema.getType(name);
  if (!isObjectType(type)) throw new Error(`there is no type ${name} to take all fields of`);
  const leaves = Object.values(type.getFields()).filter(
    (field) => !isCompositeType(getNamedType(field.type)) && field.deprecationReason === undefined,
  );
  return leaves.map((field) => field.name).join(' ');
}

/** What is wrong with the documents by the schema and by the bounds of one operation; empty where nothing is. */
export function faultsOf(documents: DocumentNode): string[] {
  // A fragment is unused in all but some of the operations.
  const rules = [
    ...specifiedRules.filter(({ name }) => name !== 'NoUnusedFragmentsRule'),
    OperationLimitsRule,
  ];
  return Object.values(separateOperations(documents))
    .flatMap((operation) => validate(schema, operation, rules))
    .map(({ message }) => message);
}
