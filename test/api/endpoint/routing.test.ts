import test from 'ava';
import fc from 'fast-check';
import type { Context, Middleware } from 'koa';
import { northboundRoutes } from '../../../api/endpoint/northbound.ts';
import { inRouterOrder, plainRouterOf, type Resources, routerOf } from '../../../api/endpoint/routing.ts';
import { southboundRoutes } from '../../../api/endpoint/southbound.ts';
import { pathsOf } from '../../../api/http/route.ts';
import { RequestMetrics } from '../../../api/middleware/measure.ts';

const tables = [northboundRoutes(new RequestMetrics(), 'accept'), southboundRoutes(new RequestMetrics())].map(
  (routes) => inRouterOrder(new Map(routes.flatMap((route) => pathsOf(route).map((path) => [path, path] as const)))),
);

interface Match {
  path: string;
  params: Record<string, string>;
}

type Make = (
  resources: Resources<string>,
  serve: (path: string, resource: string, ctx: Context) => Promise<void>,
) => Middleware;

function finding(make: Make, resources: Resources<string>) {
  const route = make(resources, async (path, resource, ctx) => {
    ctx.state.match = { path: path === resource ? path : '', params: { ...ctx.params } };
  });
  return async (path: string): Promise<Match | undefined> => {
    const ctx = { path, method: 'GET', request: {}, state: {} as { match?: Match } };
    await route(ctx as unknown as Context, async () => {});
    return ctx.state.match;
  };
}

const finders = tables.map((resources) => ({
  resources,
  plain: finding(plainRouterOf, resources),
  router: finding(routerOf, resources),
}));

/** A path of the table, with values for its parameters. */
const filled = (resources: Resources<string>, value: fc.Arbitrary<string>) =>
  fc
    .constantFrom(...resources.map(([path]) => path))
    .chain((path) =>
      fc
        .tuple(...path.split('/').map((segment) => (segment.startsWith(':') ? value : fc.constant(segment))))
        .map((segments) => segments.join('/')),
    );

const plainValue = fc.stringMatching(/^[\w.~!$&'()*+,;=:@-]{1,12}$/);
/** Literal segments too, in any case. */
const words = [...new Set(tables.flat().flatMap(([path]) => path.split('/')))].filter((word) => !word.startsWith(':'));
const word = fc.constantFrom(...words, ...words.map((each) => each.toUpperCase()));
const anyValue = fc.oneof(plainValue, word, fc.constantFrom('', '%', '%41', '%2F', 'a%20b', '%E0%A4%A'));

test('the path of each resource leads to it, with its parameters', async (t) => {
  for (const { resources, plain, router } of finders) {
    for (const [path] of resources) {
      const given = path.replaceAll(/:\w+/g, 'v-1');
      const params = Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, 'v-1']));
      t.deepEqual(await plain(given), { path, params });
      t.deepEqual(await router(given), { path, params });
    }
  }
});

test('the segments of a path lead to the same resource and parameters as the router', async (t) => {
  for (const { resources, plain, router } of finders) {
    await fc.assert(
      fc.asyncProperty(
        filled(resources, fc.oneof(plainValue, fc.constantFrom(...words.filter(Boolean)))),
        async (path) => {
          t.deepEqual(await plain(path), await router(path));
        },
      ),
      { numRuns: 1_000 },
    );
  }
});

test('any other path is left to the router, or leads to the same', async (t) => {
  for (const { resources, plain, router } of finders) {
    const paths = fc
      .oneof(
        filled(resources, anyValue),
        fc.array(anyValue, { maxLength: 7 }).map((segments) => `/${segments.join('/')}`),
      )
      .chain((path) => fc.constantFrom(path, path.toUpperCase(), `${path}/`));
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        const match = await plain(path);
        if (match !== undefined) t.deepEqual(match, await router(path));
      }),
      { numRuns: 1_000 },
    );
    t.is(await plain('/API/current/nodes'), undefined);
    t.is(await plain('/api/current/workflows/GRAPHS'), undefined, 'for the router it is the library');
  }
});
