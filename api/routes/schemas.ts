/** /schemas: the JSON Schemas of the API's records and of the options of tasks, as clients of RackHD read them. */
import { type TSchema, Type } from 'typebox';
import { anyObject } from '../../engine/api-port/schemas.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { objectIn } from '../../engine/vocabulary/json.ts';
import { openApi } from '../documents/openapi.ts';
import { cutPage } from '../http/list.ts';
import { requireFound } from '../http/rejections.ts';
import { type Route, route } from '../http/route.ts';

const names = Type.Array(Type.String());
const noSchema = (name: string) => new NodewrightError('NOT_FOUND', `Could not find schema ${name}`);

/** A document of one definition, by which it is also found inside others. */
export const schemaDocument = (title: string, schema: TSchema) => ({
  title,
  $ref: `#/definitions/${title}`,
  definitions: { [title]: schema },
});

/** @param routes of the endpoint; their records have the schemas */
export function schemaRoutes(routes: readonly Route[]): Route[] {
  let namedSchemas: Record<string, TSchema> | undefined;
  // Made at the first request: it takes longer than the rest of the endpoint.
  const schemas = () => {
    namedSchemas ??= objectIn(objectIn(openApi(routes).components).schemas) as Record<string, TSchema>;
    return namedSchemas;
  };
  return [
    route({
      id: 'listSchemas',
      summary: "List the paths of the schemas of the API's records",
      method: 'GET',
      path: '/schemas',
      resourceGroup: 'general',
      list: {},
      answer: { status: 200, schema: names },
      handle: async ({ page }) => {
        const paths = Object.keys(schemas()).map((title) => `/api/2.0/schemas/${title}`);
        const { items, total } = cutPage(paths.sort(), page);
        return { status: 200, body: items, total };
      },
    }),
    route({
      id: 'listTaskSchemas',
      summary: 'List the names of the tasks, each of which has a schema of its options',
      method: 'GET',
      path: '/schemas/tasks',
      resourceGroup: 'library',
      list: {},
      answer: { status: 200, schema: names },
      handle: async ({ engine, page }) => {
        const all = (await engine.library.tasks()).map(({ injectableName }) => injectableName);
        const { items, total } = cutPage(all.sort(), page);
        return { status: 200, body: items, total };
      },
    }),
    route({
      id: 'getTaskSchema',
      summary: 'Get the schema of the options of a task',
      method: 'GET',
      path: '/schemas/tasks/:name',
      resourceGroup: 'library',
      answer: { status: 200, schema: anyObject },
      handle: async ({ engine, params: { name = '' } }) => {
        const task = requireFound(await engine.library.task(name), () => noSchema(name));
        return { status: 200, body: { title: name, ...objectIn(task.optionsSchema) } };
      },
    }),
    route({
      id: 'getSchema',
      summary: "Get the schema of one kind of the API's records",
      method: 'GET',
      path: '/schemas/:name',
      resourceGroup: 'general',
      answer: { status: 200, schema: anyObject },
      handle: async ({ params: { name = '' } }) => {
        const entry = Object.entries(schemas()).find(([title]) => title === name);
        const [title, schema] = requireFound(entry, () => noSchema(name));
        return { status: 200, body: schemaDocument(title, schema) };
      },
    }),
  ];
}
