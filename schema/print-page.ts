/**
 * Prints page/gen/documents.ts: every GraphQL document of the page as text, with the types of what it takes and what it
 * answers by the schema.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionNode,
  separateOperations,
  stripIgnoredCharacters,
  typeFromAST,
} from 'graphql';
import { faultsOf, PAGE_FOLDER, RECORD_FACTS, readDocuments, schema } from './page-documents.ts';

export const DOCUMENTS_PATH = join(PAGE_FOLDER, 'gen', 'documents.ts');

/** The types of scalars in JSON. */
const SCALARS: Readonly<Record<string, string>> = {
  ...{ Boolean: 'boolean', DateTime: 'string', Float: 'number', ID: 'string', Int: 'number' },
  ...{ JSON: 'unknown', Long: 'number', String: 'string', Upload: 'null' },
};

export function printDocuments(): string {
  const documents = readDocuments();
  const faults = faultsOf(documents);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return new Printer(documents).print();
}

class Printer {
  readonly #documents: DocumentNode;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Enums and inputs that the documents name, and those that these name. */
  readonly #named = new Map<string, string>();

  constructor(documents: DocumentNode) {
    this.#documents = documents;
    const fragments = documents.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
    this.#fragments = new Map(
      (fragments as FragmentDefinitionNode[]).map((fragment) => [fragment.name.value, fragment]),
    );
  }

  print(): string {
    const operations = Object.entries(separateOperations(this.#documents)).map(([name, operation]) =>
      this.#printOperation(name, operation),
    );
    const fragments = [...this.#fragments.values()].map((fragment) => {
      const type = this.#selected(
        compositeNamed(fragment.typeCondition.name.value),
        fragment.selectionSet.selections,
      );
      return `export type ${fragment.name.value} = ${type};\n`;
    });
    return [
      '// Printed by schema/print-page.ts from page/**/*.graphql; `npm run generate` prints it anew.\n',
      "import type { Document } from '../parts/document.ts';\n",
      ...[...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text),
      ...fragments,
      `/** Facts of a record with their labels: field, English, Italian, kind of value. */\nexport const RECORD_FACTS = ${JSON.stringify(RECORD_FACTS.map(([name, { label = [], type }]) => [name, ...label, type]))} as const;\n`,
      ...operations,
    ].join('\n');
  }

  #printOperation(name: string, document: DocumentNode): string {
    const operation = document.definitions.find(
      (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
    );
    const root = operation && schema.getRootType(operation.operation);
    if (operation === undefined || !root) throw new Error(`nothing answers ${name}`);
    const taken = (operation.variableDefinitions ?? []).map(({ variable, type }) =>
      this.#input(variable.name.value, typeFromAST(schema, type) as GraphQLInputType),
    );
    const answer = this.#selected(root, operation.selectionSet.selections, true);
    const constant = name.replace(/(?<=[a-z])[A-Z]/g, '_$&').toUpperCase();
    return [
      `export type ${name}Answer = ${answer};\n`,
      `export const ${constant} = '${stripIgnoredCharacters(print(document))}' as Document<${name}Answer, {${taken.join('')}}>;\n`,
    ].join('');
  }

  /** `isRoot`: a root field is null only beside an error, and is not read then. */
  #selected(type: GraphQLCompositeType, selections: readonly SelectionNode[], isRoot = false): string {
    const [only, ...others] = selections;
    if (only?.kind === Kind.FRAGMENT_SPREAD && others.length === 0) return only.name.value;
    const possible = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
    return [...new Set(possible.map((one) => this.#object(one, selections, isRoot)))].join(' | ');
  }

  #object(type: GraphQLObjectType, selections: readonly SelectionNode[], isRoot: boolean): string {
    const fields = this.#fieldsOf(type, selections).map(({ name, alias, selectionSet }) => {
      const key = alias?.value ?? name.value;
      if (name.value === '__typename') return `${key}: '${type.name}';`;
      const found = type.getFields()[name.value];
      if (found === undefined) throw new Error(`${type.name} has no field ${name.value}`);
      const bare = isRoot && isNonNullType(found.type) === false ? found.type : undefined;
      const text = this.#output(bare ?? found.type, selectionSet?.selections ?? []);
      return `${key}: ${bare === undefined ? text : text.replace(/ \| null$/, '')};`;
    });
    return `{ ${fields.join(' ')} }`;
  }

  #fieldsOf(type: GraphQLObjectType, selections: readonly SelectionNode[]): FieldNode[] {
    return selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection];
      const part =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value);
      const condition = part?.typeCondition?.name.value ?? type.name;
      const isMet = condition === type.name || type.getInterfaces().some(({ name }) => name === condition);
      return part !== undefined && isMet ? this.#fieldsOf(type, part.selectionSet.selections) : [];
    });
  }

  #output(type: GraphQLOutputType, selections: readonly SelectionNode[]): string {
    if (isNonNullType(type)) return this.#present(type.ofType, selections);
    const text = this.#present(type, selections);
    return text === 'unknown' ? text : `${text} | null`;
  }

  #present(type: GraphQLOutputType, selections: readonly SelectionNode[]): string {
    if (isListType(type)) {
      const item = this.#output(type.ofType, selections);
      return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
    }
    return isCompositeType(type) ? this.#selected(type, selections) : this.#leaf(getNamedType(type));
  }

  #input(name: string, type: GraphQLInputType): string {
    const bare = isNonNullType(type) ? type.ofType : type;
    const text = isListType(bare)
      ? `readonly ${this.#leaf(getNamedType(bare))}[]`
      : this.#leaf(getNamedType(bare));
    return isNonNullType(type) ? ` ${name}: ${text};` : ` ${name}?: ${text} | null | undefined;`;
  }

  #leaf(type: GraphQLNamedType): string {
    if (isScalarType(type)) return SCALARS[type.name] ?? 'unknown';
    if (this.#named.has(type.name)) return type.name;
    this.#named.set(type.name, '');
    if (isEnumType(type)) {
      const words = type.getValues().map(({ name }) => `'${name}'`);
      this.#named.set(type.name, `export type ${type.name} = ${words.join(' | ')};\n`);
    } else if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).map((field) => this.#input(field.name, field.type));
      this.#named.set(type.name, `export interface ${type.name} {${fields.join('')} }\n`);
    }
    return type.name;
  }
}

function compositeNamed(name: string): GraphQLCompositeType {
  const type = schema.getType(name);
  if (!isCompositeType(type)) throw new Error(`there is no type ${name}`);
  return type;
}

if (import.meta.main) writeFileSync(DOCUMENTS_PATH, printDocuments());
