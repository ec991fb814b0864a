/** The schemas of the API, and values of them. */
import fc from 'fast-check';
import { type TObject, type TSchema, Type } from 'typebox';
import { northboundRoutes } from '../../../api/endpoint/northbound.ts';
import { southboundRoutes } from '../../../api/endpoint/southbound.ts';
import { querySchema } from '../../../api/http/list.ts';
import type { Route } from '../../../api/http/route.ts';

/** No handler runs: the routes only give their schemas. */
const none = {} as Parameters<typeof northboundRoutes>[0];
const routes: Route[] = [...northboundRoutes(none), ...southboundRoutes(none)];

/** The name and the schema of each body and each query. */
export const inputSchemas = (): [name: string, schema: TSchema][] =>
  routes.flatMap((route) => {
    const query = querySchema(route);
    return [
      ...(route.body === undefined ? [] : [[`the body of ${route.id}`, route.body] as [string, TSchema]]),
      ...(query === undefined ? [] : [[`the query of ${route.id}`, query] as [string, TSchema]]),
    ];
  });

/** By title: the records that routes answer with, and the objects within them. */
export function answerRecords(): Map<string, TObject> {
  const found = new Map<string, TObject>();
  const visit = (schema: TSchema): void => {
    if (Type.IsArray(schema)) visit(schema.items);
    if (!Type.IsObject(schema)) return;
    found.set('title' in schema ? String(schema.title) : `object ${found.size}`, schema);
    for (const inner of Object.values(schema.properties)) visit(inner);
  };
  for (const { answer } of routes) if (answer.schema !== undefined) visit(answer.schema);
  return found;
}

/** Returns a generator of values of which only objects and lists are as the schema declares. */
function shapeOf(schema: TSchema): fc.Arbitrary<unknown> {
  if (Type.IsArray(schema)) return fc.array(shapeOf(schema.items), { maxLength: 3 });
  return Type.IsObject(schema) ? recordOf(schema) : fc.jsonValue({ maxDepth: 1 });
}

/** A field under an old name has the value of the field that replaces it. */
export function recordOf(schema: TObject): fc.Arbitrary<Record<string, unknown>> {
  const replacements = new Map(
    Object.entries(schema.properties).flatMap(([key, inner]) =>
      'x-replaced-by' in inner ? [[key, String(inner['x-replaced-by'])]] : [],
    ),
  );
  const isCurrent = (key: string) => !replacements.has(key);
  const current = Object.entries(schema.properties).filter(([key]) => isCurrent(key));
  const requiredKeys = (schema.required ?? []).filter(isCurrent);
  return fc
    .record(Object.fromEntries(current.map(([key, inner]) => [key, shapeOf(inner)])), {
      requiredKeys,
      noNullPrototype: true,
    })
    .map((record) => {
      const old = [...replacements].flatMap(([key, source]) => (source in record ? [[key, record[source]]] : []));
      return { ...record, ...Object.fromEntries(old) };
    });
}
