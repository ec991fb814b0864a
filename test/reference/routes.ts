/** The page of all routes, from the routes themselves. */
import { privilegesLine } from '../../api/auth/privileges.ts';
import { northboundRoutes } from '../../api/endpoint/northbound.ts';
import { southboundRoutes } from '../../api/endpoint/southbound.ts';
import { pathsOf, type Route } from '../../api/http/route.ts';
import { RequestMetrics } from '../../api/middleware/measure.ts';
import { groupBy } from '../../engine/platform/lib/group-by.ts';
import { bullets, code, pageOf } from './markdown.ts';

export function routesPage(): string {
  const metrics = new RequestMetrics();
  return pageOf(
    'Every route',
    'Any one of the privileges grants access, within the scope shown. `/api/2.0` is an alias of `/api/current`. The schemas of queries, bodies and answers are in `/api/current/openapi.json`.',
    '## Northbound',
    ...sections(northboundRoutes(metrics), true),
    '## Southbound',
    'These routes need no token.',
    ...sections(southboundRoutes(metrics), false),
  );
}

const pathOf = (route: Route): string => pathsOf(route)[0] ?? '';

/** The first segment below the version: `nodes` of `/api/current/nodes/:identifier`. */
const resourceOf = (route: Route): string => {
  const [first = ''] = pathOf(route)
    .replace(/^\/api\/(current|1\.1)/, '')
    .slice(1)
    .split('/');
  return route.base === 'root' && first !== 'redfish' ? 'the daemon' : first;
};

const sections = (routes: readonly Route[], hasPrivileges: boolean): string[] =>
  groupBy(routes, resourceOf).flatMap(([resource, own]) => [
    `### ${resource}`,
    bullets(own.map((route) => lineOf(route, hasPrivileges))),
  ]);

function lineOf(route: Route, hasPrivileges: boolean): string {
  const line = `**${code(`${route.method} ${pathOf(route)}`)}**: ${route.summary}.`;
  return hasPrivileges ? `${line} Needs: ${privilegesOf(route)}.` : line;
}

function privilegesOf(route: Route): string {
  return route.resourceGroup === 'sessions' ? `${privilegesLine(route)} (\`X-Auth-Token\`)` : privilegesLine(route);
}
