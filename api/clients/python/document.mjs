/**
 * The OpenAPI document of the northbound endpoint, as the generator of the Python client reads it.
 *
 * - Each schema with a title is in the components, once: of a copy inside another schema, the generator makes a second class with the same name,
 *   and fails.
 * - A filter with several values is a text, such as `failed,cancelled`: the generator would repeat the parameter, which the daemon rejects.
 * - No list has `fields`: a class of the client needs all fields of a record.
 * - It has no errors: the client raises all of them in one form (`templates/errors.py.jinja`).
 */
import { isDeepStrictEqual } from 'node:util';
import { openApi } from '../../documents/openapi.ts';
import { northboundRoutes } from '../../endpoint/northbound.ts';
import { RequestMetrics } from '../../middleware/measure.ts';

/** @throws Error if two schemas have one title */
export function clientDocument() {
  // Without what JSON leaves out.
  const document = JSON.parse(JSON.stringify(openApi(northboundRoutes(new RequestMetrics()))));
  const schemas = {};
  const named = (value) => {
    const { title, description, ...schema } = value;
    // A property may have the name `title`.
    if (typeof title !== 'string') return mapped(value, named);
    const own = mapped(schema, named);
    const { title: _, description: first = description, ...other } = schemas[title] ?? own;
    // A copy may say what it is for.
    if (!isDeepStrictEqual(other, own)) {
      throw new Error(`found two different schemas with the title ${title}; give one of them another title`);
    }
    schemas[title] = { title, ...(first && { description: first }), ...own };
    return { $ref: `#/components/schemas/${title}` };
  };
  for (const schema of Object.values(document.components.schemas)) named(schema);
  const paths = mapped(simplified(document.paths), named);
  return { ...document, paths, components: { ...document.components, schemas } };
}

/** @param change is applied to objects, also those in lists */
function mapped(value, change) {
  if (Array.isArray(value)) return value.map((one) => (isRecord(one) ? change(one) : mapped(one, change)));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, isRecord(one) ? change(one) : mapped(one, change)]),
  );
}

const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

const simplified = (paths) =>
  eachValue(paths, (methods) =>
    eachValue(methods, (operation) => ({
      ...operation,
      parameters: operation.parameters
        .filter(({ name, in: place }) => place !== 'query' || name !== 'fields')
        .map((one) => (one.explode === false ? { ...one, schema: separated } : one)),
      responses: Object.fromEntries(Object.entries(operation.responses).filter(([status]) => Number(status) < 400)),
    })),
  );

const separated = { type: 'string', description: 'values, separated by commas' };

const eachValue = (record, change) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
