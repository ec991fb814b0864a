/** The configuration, without secrets; a few keys can be changed at runtime. Also served under 1.1. */
import { Type } from 'typebox';
import type { ChangeableConfig } from '../../engine/api-port/index.ts';
import { anyObject } from '../../engine/api-port/schemas.ts';
import { changeableConfig, fixedConfig } from '../../engine/api-port/values.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { route } from '../http/route.ts';

/** Keys that need a restart are in the schema too, so that the error can say so. */
const patch = Type.Object(
  {
    ...changeableConfig.properties,
    ...Object.fromEntries(fixedConfig.map((key) => [key, Type.Optional(Type.Unknown())])),
  },
  { additionalProperties: false, minProperties: 1 },
);

function rejectFixed(body: Record<string, unknown>): void {
  const fixedKeys = fixedConfig.filter((key) => key in body);
  if (fixedKeys.length === 0) return;
  const message = 'cannot be changed while the daemon runs; change the configuration file and restart it';
  throw new NodewrightError('INVALID', `${fixedKeys.join(', ')} ${message}`, {
    violations: fixedKeys.map((path) => ({ path, message })),
  });
}

const changeRoute = <Method extends 'PATCH' | 'PUT'>(base: 'api' | '1.1', id: string, method: Method) =>
  route({
    id,
    summary: 'Change runtime settings until the daemon stops',
    method,
    path: '/config',
    base,
    resourceGroup: 'config',
    body: patch,
    answer: { status: 200, schema: anyObject },
    handle: async ({ engine, body }) => {
      rejectFixed(body);
      await engine.settings.change(body as ChangeableConfig);
      return { body: engine.settings.shownConfig() };
    },
  });

const routesAt = (base: 'api' | '1.1', suffix: string) => [
  route({
    id: `getConfig${suffix}`,
    summary: 'Get the configuration, without secrets',
    method: 'GET',
    path: '/config',
    base,
    resourceGroup: 'config',
    answer: { status: 200, schema: anyObject },
    handle: async ({ engine }) => ({ body: engine.settings.shownConfig() }),
  }),
  changeRoute(base, `changeConfig${suffix}`, 'PATCH'),
];

/** RackHD's PUT, too, changes only the settings in its body. */
export const configRoutes = [...routesAt('api', ''), changeRoute('api', 'putConfig', 'PUT'), ...routesAt('1.1', '11')];
