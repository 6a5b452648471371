/** Bounds an operation before it runs: a few hundred bytes may ask for millions of values. Measures fragments once each. */
import {
  type ASTVisitor,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';
import { IDENTIFIERS_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../../domain/limits.ts';

/** Bound for the JSON of one operation; files are streamed apart from it. */
export const JSON_BYTES_MAX = 1_048_576;
/** Parsing is linear in tokens; GraphiQL's introspection has about 400. */
export const TOKENS_MAX = 2000;
/** Enough for classifications.edges.node.images.details.detections.results.classification.label, and a little more. */
export const DEPTH_MAX = 12;
/** Each alias repeats a field, so aliases multiply an expensive one cheaply. */
export const ALIASES_MAX = 15;
/** Root fields run as separate calls under one rate-limit token. */
export const ROOT_FIELDS_MAX = 10;
/** Values that an answer may hold at worst by the schema; a page of 100 full records of pictures has fewer. */
export const COST_MAX = 50_000;
/** The assumed length of a list inside a record; a page counts by its `first`. */
const LIST_LENGTH_ASSUMED = 2;

interface Measure {
  depth: number;
  aliases: number;
  cost: number;
  fields: number;
}

/** Validation rule: refuses an operation that is too deep, too wide or too costly. */
export function OperationLimitsRule(context: ValidationContext): ASTVisitor {
  const measurer = new Measurer(context);
  return {
    OperationDefinition(node) {
      const schema = context.getSchema();
      const measure = measurer.measure(node.selectionSet, schema.getRootType(node.operation) ?? undefined);
      const report = (what: string, found: number, max: number) => {
        if (found <= max) return;
        const message = `The operation has ${what} ${found}; at most ${max} is allowed.`;
        context.reportError(new GraphQLError(message, { nodes: node }));
      };
      report('depth', measure.depth, DEPTH_MAX);
      report('aliases', measure.aliases, ALIASES_MAX);
      report('root fields', measure.fields, ROOT_FIELDS_MAX);
      report('cost', measure.cost, COST_MAX);
    },
  };
}

class Measurer {
  readonly #context: ValidationContext;
  readonly #fragments = new Map<FragmentDefinitionNode, Measure>();

  constructor(context: ValidationContext) {
    this.#context = context;
  }

  measure(selectionSet: SelectionSetNode, type: GraphQLNamedType | undefined): Measure {
    const sum: Measure = { depth: 0, aliases: 0, cost: 0, fields: 0 };
    for (const selection of selectionSet.selections) {
      const { depth, aliases, cost, fields } = this.#measureSelection(selection, type);
      sum.depth = Math.max(sum.depth, depth);
      sum.aliases += aliases;
      sum.cost += cost;
      sum.fields += fields;
    }
    return sum;
  }

  #measureSelection(selection: SelectionNode, type: GraphQLNamedType | undefined): Measure {
    if (selection.kind === Kind.FIELD) return this.#measureField(selection, type);
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const name = selection.typeCondition?.name.value;
      return this.measure(selection.selectionSet, name === undefined ? type : this.#typeNamed(name));
    }
    const fragment = this.#context.getFragment(selection.name.value);
    return fragment ? this.#measureFragment(fragment) : NOTHING;
  }

  #measureFragment(fragment: FragmentDefinitionNode): Measure {
    const known = this.#fragments.get(fragment);
    if (known !== undefined) return known;
    // A fragment that contains itself is refused by another rule; here it must only not loop.
    this.#fragments.set(fragment, NOTHING);
    const type = this.#typeNamed(fragment.typeCondition.name.value);
    const measure = this.measure(fragment.selectionSet, type);
    this.#fragments.set(fragment, measure);
    return measure;
  }

  #measureField(field: FieldNode, type: GraphQLNamedType | undefined): Measure {
    const aliases = field.alias === undefined ? 0 : 1;
    const definition =
      isObjectType(type) || isInterfaceType(type) ? type.getFields()[field.name.value] : undefined;
    if (field.selectionSet === undefined) return { depth: 1, aliases, cost: 1, fields: 1 };
    const inner = this.measure(
      field.selectionSet,
      definition === undefined ? undefined : getNamedType(definition.type),
    );
    // Introspection has a depth rule of its own in the specified rules; each alias in it is the whole schema once more.
    if (field.name.value.startsWith('__'))
      return { depth: 1, aliases: inner.aliases + aliases, cost: 1, fields: 1 };
    const isPaged = definition?.args.some(({ name }) => name === 'first') === true;
    const times = isPaged ? pageLengthOf(field) : lengthOf(field.name.value, definition?.type);
    return {
      depth: inner.depth + 1,
      aliases: inner.aliases + aliases,
      cost: 1 + times * inner.cost,
      fields: 1,
    };
  }

  #typeNamed(name: string): GraphQLNamedType | undefined {
    return this.#context.getSchema().getType(name);
  }
}

const NOTHING: Readonly<Measure> = { depth: 0, aliases: 0, cost: 0, fields: 0 };

/** The page that the arguments ask for; a variable may hold anything, so it counts as the largest page. */
function pageLengthOf(field: FieldNode): number {
  const first = field.arguments?.find(({ name }) => name.value === 'first')?.value;
  const identifiers = field.arguments?.find(({ name }) => name.value === 'identifiers')?.value;
  if (identifiers !== undefined) {
    return identifiers.kind === Kind.LIST ? identifiers.values.length : IDENTIFIERS_MAX;
  }
  if (first === undefined || first.kind === Kind.NULL) return PAGE_SIZE_DEFAULT;
  if (first.kind !== Kind.INT) return PAGE_SIZE_MAX;
  // The field itself refuses a page of less than nothing, which must not pay for those beside it.
  return Math.min(Math.max(Number(first.value), 0), PAGE_SIZE_MAX);
}

/** `edges` and `nodes` are already counted by their page. */
function lengthOf(name: string, type: GraphQLOutputType | undefined): number {
  if (type === undefined || name === 'edges' || name === 'nodes') return 1;
  const bare = isNonNullType(type) ? type.ofType : type;
  return isListType(bare) ? LIST_LENGTH_ASSUMED : 1;
}
