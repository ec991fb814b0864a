/** The table of routes in `api/ROUTES.md`, made from the routes themselves: `npm run routes` writes it anew. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RequestMetrics } from './middleware/measure.ts';
import { northbound } from './northbound.ts';
import { privilegesLine } from './privileges.ts';
import { pathsOf, type Route } from './route.ts';
import { southbound } from './southbound.ts';

const file = new URL('ROUTES.md', import.meta.url);

export function table(): string {
  const metrics = new RequestMetrics();
  return [
    '# Every route',
    'Written by `npm run routes`. One of the privileges opens the route, as far as it says; `/api/current` is `/api/2.0` too.',
    '## Northbound',
    rows(northbound(metrics)),
    '## Southbound',
    'Nobody needs a token here.',
    rows(southbound(metrics), false),
    '',
  ]
    .join('\n\n')
    .trimEnd();
}

function rows(routes: readonly Route[], rights = true): string {
  const cells = routes.map((route) => [
    route.method,
    `\`${pathsOf(route)[0]}\``,
    ...(rights ? [privilegesOf(route)] : []),
    route.summary,
  ]);
  const head = ['method', 'path', ...(rights ? ['privilege'] : []), 'what it does'];
  return [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function privilegesOf(route: Route): string {
  return route.area === 'sessions' ? `${privilegesLine(route)} (\`X-Auth-Token\`)` : privilegesLine(route);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, `${table()}\n`);
