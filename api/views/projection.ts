/**
 * Views as projections: from an internal record, exactly the properties that the schema of its API record declares. So an
 * internal field is never exposed, and the compiler compares the record with the schema.
 *
 * 1. The keys are read from the schema once; for each record they are only copied, because lists have many.
 * 2. Objects with declared properties, and lists of them, are projected within the record too. All other values are
 *    passed unchanged, also unions: which of its schemas applies is unknown without validation.
 * 3. A property without a value is left out. A property that another one replaces has the value of that one.
 */
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { isObject, property } from '../../engine/vocabulary/json.ts';

type ReadonlyDeep<T> = T extends object ? { readonly [K in keyof T]: ReadonlyDeep<T[K]> } : T;

/** Properties that are not copied, but computed. */
type ComputedFields<S extends TObject> = {
  readonly [P in keyof Static<S>]?: (record: never, context: never) => Static<S>[P];
};

/** The record and the context that every computed property accepts. */
type RecordFor<C> = [C[keyof C]] extends [(record: infer R, context: never) => unknown] ? R : unknown;
type ContextFor<C> = [C[keyof C]] extends [(record: never, context: infer X) => unknown] ? X : unknown;

type Compute = (record: Record<string, unknown>, context: unknown) => unknown;

/** @returns a function from a record, and a context if a computed property needs one, to the view */
export function projection<S extends TObject, C extends ComputedFields<S> = Record<never, never>>(
  schema: S,
  computed?: C,
): (
  record: RecordFor<C> & ReadonlyDeep<Omit<Static<S>, keyof C>>,
  ...context: unknown extends ContextFor<C> ? [] : [context: ContextFor<C>]
) => Static<S>;
export function projection({ properties }: TObject, computed: Partial<Record<string, Compute>> = {}): Compute {
  const fields = Object.entries(properties).map(([key, schema]) => {
    const compute = computed[key];
    const source = String(property(schema, 'x-replaced-by') ?? key);
    return { key, source, compute, copy: compute === undefined ? copierOf(schema) : undefined };
  });
  return (record, context) => {
    const view: Record<string, unknown> = {};
    for (const { key, source, compute, copy } of fields) {
      const value = compute === undefined ? record[source] : compute(record, context);
      if (value !== undefined) view[key] = copy === undefined ? value : copy(value);
    }
    return view;
  };
}

/**
 * @returns undefined: values of this schema are passed unchanged; so is a value of another kind, which a record of an
 * earlier version may have
 */
function copierOf(schema: TSchema): ((value: unknown) => unknown) | undefined {
  if (Type.IsObject(schema)) {
    const project = projection(schema);
    return (value) => (isObject(value) ? project(value) : value);
  }
  const copy = Type.IsArray(schema) ? copierOf(schema.items) : undefined;
  return copy && ((value) => (Array.isArray(value) ? value.map(copy) : value));
}
