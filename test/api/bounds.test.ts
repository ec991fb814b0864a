/** Every number from outside has bounds, so that no timer, date or allocation can break on it. */
import { readdirSync } from 'node:fs';
import test from 'ava';
import { northboundRoutes } from '../../api/endpoint/northbound.ts';
import { southboundRoutes } from '../../api/endpoint/southbound.ts';
import { querySchema } from '../../api/http/list.ts';
import type { TaskDefinition } from '../../engine/define/task.ts';
import { changeableConfig, configSchema } from '../../engine/platform/config/config.ts';
import { exportOf } from '../support/data/catalogue.ts';

/** Numbers that are only compared, or stored as data: no count, timer or allocation uses them. */
const INERT = new Set(['greaterThan', 'lessThan', 'min', 'max', 'data']);

type Schema = Record<string, unknown>;

/** The paths of all numbers in a schema that lack a bound. */
function unbounded(schema: unknown, path: string, name = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((one, index) => unbounded(one, `${path}.${index}`, name));
  const { type, exclusiveMinimum, minimum = exclusiveMinimum, maximum } = schema as Schema;
  const types = [type].flat();
  const isNumber = types.includes('number') || types.includes('integer');
  const own = isNumber && !INERT.has(name) && (minimum === undefined || maximum === undefined) ? [path] : [];
  const inner = Object.entries(schema).flatMap(([key, value]) => {
    const names = key === 'properties' ? Object.entries(value as Schema) : undefined;
    if (names === undefined) return unbounded(value, `${path}.${key}`, name);
    return names.flatMap(([property, one]) => unbounded(one, `${path}.${property}`, property));
  });
  return [...own, ...inner];
}

test('the walk finds a number without a bound at any place', (t) => {
  const schema = { anyOf: [{ items: { properties: { a: { type: ['integer', 'null'], minimum: 0 } } } }] };
  t.deepEqual(unbounded(schema, 'x'), ['x.anyOf.0.items.a']);
});

test('every number of the configuration has bounds', (t) => {
  t.deepEqual(unbounded(configSchema, 'config'), []);
  t.deepEqual(unbounded(changeableConfig, 'config'), []);
});

test('every number in the query or the body of a route has bounds', (t) => {
  const fake = {} as Parameters<typeof northboundRoutes>[0];
  const routes = [...northboundRoutes(fake), ...southboundRoutes(fake)];
  t.true(routes.length > 100);
  const query = ({ list, ...route }: (typeof routes)[number]) => querySchema(route);
  t.deepEqual(
    routes.flatMap((route) => [...unbounded(query(route), `${route.id}?`), ...unbounded(route.body, route.id)]),
    [],
  );
});

test('every number in the options of a task has bounds', async (t) => {
  const root = new URL('../../tasks/', import.meta.url);
  const files = readdirSync(root).filter((name) => name.endsWith('.ts'));
  t.true(files.length > 20);
  for (const name of files) {
    const task = (await exportOf(new URL(name, root))) as TaskDefinition;
    t.deepEqual(unbounded(task.optionsSchema, name), [], name);
  }
});
