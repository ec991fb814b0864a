/**
 * Routes requests to resources. A plain path is found by its segments, because the router tries the expressions of two
 * hundred paths.
 *
 * 1. The result is the one of the router, which gets all other paths: in another case, with a slash at the end, with an empty or
 *    an encoded segment, or of no resource.
 */
import { Router } from '@koa/router';
import type { Context, Middleware } from 'koa';

/** By path, such as `/nodes/:id`. Literal paths first: the router takes the first match. */
export type Resources<R> = readonly (readonly [path: string, resource: R])[];

type Serve<R> = (path: string, resource: R, ctx: Context) => Promise<void>;

export function inRouterOrder<R>(byPath: ReadonlyMap<string, R>): Resources<R> {
  const parameters = (path: string) => path.split(':').length;
  return [...byPath].sort(([a], [b]) => parameters(a) - parameters(b));
}

/** By its first request: compiling all routes and their expressions takes most of the time in which an endpoint opens. */
export function compiledOnce<A extends unknown[], B>(compile: () => (...args: A) => B): (...args: A) => B {
  let answer: ((...args: A) => B) | undefined;
  return (...args) => {
    answer ??= compile();
    return answer(...args);
  };
}

/** Its expressions are compiled by the first path that is not plain. */
export const routerOf = <R>(resources: Resources<R>, serve: Serve<R>): Middleware =>
  compiledOnce(() => compiledRoutes(resources, serve));

function compiledRoutes<R>(resources: Resources<R>, serve: Serve<R>): Middleware {
  const router = new Router();
  for (const [path, resource] of resources) {
    router.all(path, (ctx) => serve(path, resource, ctx as unknown as Context));
  }
  return router.routes() as unknown as Middleware;
}

export function plainRouterOf<R>(resources: Resources<R>, serve: Serve<R>): Middleware {
  const find = finderOf(resources);
  return async (ctx, next) => {
    const match = find(ctx.path);
    if (match === undefined) return next();
    ctx.params = match.params;
    return serve(match.path, match.resource, ctx);
  };
}

const PLAIN = /^(?:\/[^/%]+)+$/;

const isParameter = (segment: string): boolean => segment.startsWith(':');

function finderOf<R>(resources: Resources<R>) {
  const byLength = new Map<number, PlainPath<R>[]>();
  for (const [path, resource] of resources) {
    const segments = path.split('/');
    const lowered = segments.map((segment) => (isParameter(segment) ? undefined : segment.toLowerCase()));
    const paths = byLength.get(segments.length) ?? [];
    byLength.set(segments.length, [...paths, { path, resource, segments, lowered }]);
  }
  return (path: string) => {
    if (!PLAIN.test(path)) return undefined;
    // The router ignores the case: the first match in any case is its own.
    const lowered = path.toLowerCase().split('/');
    const match = byLength
      .get(lowered.length)
      ?.find((entry) => entry.lowered.every((segment, at) => segment === undefined || segment === lowered[at]));
    const params = match && paramsIn(match, path.split('/'));
    return params && { ...match, params };
  };
}

interface PlainPath<R> {
  path: string;
  resource: R;
  segments: readonly string[];
  /** Undefined: a parameter. */
  lowered: readonly (string | undefined)[];
}

/** @returns undefined if a literal segment is in another case */
function paramsIn({ segments }: Pick<PlainPath<unknown>, 'segments'>, values: readonly string[]) {
  const params: Record<string, string> = {};
  for (const [at, segment] of segments.entries()) {
    const value = values[at] as string;
    if (isParameter(segment)) params[segment.slice(1)] = value;
    else if (segment !== value) return undefined;
  }
  return params;
}
