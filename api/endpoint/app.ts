/**
 * The Koa application of one endpoint: its routes and the middleware of every request. Routes that share a path become
 * one resource, so that a wrong method is distinguished from a wrong path, and a literal path such as
 * `/workflows/graphs` takes precedence over `/workflows/:id` for every method.
 */
import Koa, { type Context } from 'koa';
import type { Logger } from 'pino';
import type { Engine } from '../../engine/api-port/index.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { codeOf } from '../../engine/vocabulary/thrown-values.ts';
import { MethodNotAllowed } from '../http/rejections.ts';
import { pathsOf, type Route } from '../http/route.ts';
import { auditLog } from '../middleware/audit.ts';
import { BodiesInHand } from '../middleware/bodies-in-hand.ts';
import { concealReply } from '../middleware/conceal.ts';
import { consoleFiles } from '../middleware/console.ts';
import { errors } from '../middleware/errors.ts';
import { requestLog } from '../middleware/log.ts';
import { RequestMetrics } from '../middleware/measure.ts';
import { oneHost, protection } from '../middleware/protection.ts';
import { quotas } from '../middleware/quotas.ts';
import { RequestsInHand } from '../middleware/requests-in-hand.ts';
import { siteFiles } from '../middleware/site.ts';
import { staticFiles } from '../middleware/static.ts';
import { answerUnread } from '../middleware/unread.ts';
import { healthRoutes } from '../routes/health.ts';
import type { OpenEndpoint } from './authority.ts';
import { type Dispatch, dispatch, type RequestLimits } from './dispatch.ts';
import { northboundRoutes } from './northbound.ts';
import { compiledOnce, inRouterOrder, plainRouterOf, type Resources, routerOf } from './routing.ts';
import { southboundRoutes } from './southbound.ts';

type Keys = Engine['config']['southboundKeys'];
const routesOf: Record<OpenEndpoint['routers'], (metrics: RequestMetrics, keys: Keys) => Route[]> = {
  'northbound-api-router': northboundRoutes,
  'southbound-api-router': southboundRoutes,
  'health-router': healthRoutes,
};
/** The code of the error when a client disconnects from a stream. */
const GONE = 'ERR_STREAM_PREMATURE_CLOSE';

/** Parts that all endpoints of a process share. */
export interface SharedParts extends RequestLimits {
  metrics: RequestMetrics;
}

export function sharedParts(engine: Engine): SharedParts {
  const requests = new RequestsInHand();
  return {
    metrics: new RequestMetrics(() => requests.waitingCount),
    bodies: new BodiesInHand(engine.config),
    requests,
  };
}

/** @param closing aborted when the endpoint closes */
export function createApp(
  engine: Engine,
  endpoint: OpenEndpoint,
  log: Logger,
  { metrics, ...limits }: SharedParts = sharedParts(engine),
  closing?: AbortSignal,
): Koa {
  const routes = routesOf[endpoint.routers](metrics, engine.config.southboundKeys);
  const app = new Koa();
  app.use(answerUnread);
  app.use(requestLog(log, endpoint));
  app.use(metrics.middleware);
  app.use(concealReply(endpoint.routers));
  app.use(protection(endpoint.routers));
  app.use(errors(log));
  app.use(oneHost);
  if (endpoint.routers === 'southbound-api-router') app.use(quotas(engine, endpoint));
  else {
    app.use(auditLog(engine, endpoint));
    // The log needs the status of the answer.
    app.use(errors(log));
  }
  if (endpoint.routers === 'northbound-api-router') app.use(siteFiles());
  const served = resources(engine, endpoint, routes, limits, closing);
  app.use(plainRouterOf(served, serve));
  app.use(routerOf(served, serve));
  if (endpoint.routers === 'southbound-api-router') app.use(staticFiles(engine, endpoint));
  if (endpoint.routers === 'northbound-api-router') app.use(consoleFiles);
  app.use(notFound);
  // Errors that koa itself catches: answers that could not be sent, mostly because the client disconnected, as the
  // readers of a stream do.
  app.on('error', (err) => log[codeOf(err) === GONE ? 'debug' : 'warn']({ err }, 'answer not sent'));
  return app;
}

function notFound(ctx: Context): never {
  throw new NodewrightError('NOT_FOUND', `No such path: ${ctx.path.slice(0, 200)}`);
}

type Resource = Map<string, Dispatch>;

function resources(
  engine: Engine,
  endpoint: OpenEndpoint,
  routes: readonly Route[],
  limits: RequestLimits,
  closing?: AbortSignal,
): Resources<Resource> {
  const byPath = new Map<string, Resource>();
  for (const route of routes) {
    const answer = compiledOnce(() => dispatch(engine, endpoint, route, limits, closing));
    for (const path of pathsOf(route)) byPath.set(path, (byPath.get(path) ?? new Map()).set(route.method, answer));
  }
  return inRouterOrder(byPath);
}

async function serve(path: string, methods: Resource, ctx: Context): Promise<void> {
  ctx.state.route = path;
  // Clients that shorten paths as URLs are shortened send /nodes/1/ for the tag `..` of /nodes/1.
  if (ctx.method === 'DELETE' && ctx.path.endsWith('/') && path.startsWith('/api/')) notFound(ctx);
  const answer = methods.get(ctx.method === 'HEAD' ? 'GET' : ctx.method);
  if (!answer) throw new MethodNotAllowed(ctx.method, [...methods.keys()]);
  await answer(ctx);
}
