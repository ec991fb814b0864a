/**
 * The routes for nodes: without a token, so they can change only the node itself and the workflow that waits for it.
 * Files are served by `middleware/static.ts`.
 */

import type { Engine } from '../../engine/api-port/index.ts';
import type { Route } from '../http/route.ts';
import type { RequestMetrics } from '../middleware/measure.ts';
import { alertRoute } from '../routes/alerts.ts';
import { bootImageRoute } from '../routes/boot-images.ts';
import { addCatalogRoute } from '../routes/catalogs.ts';
import { docsRoutes } from '../routes/docs.ts';
import { nodeFileRoutes } from '../routes/files.ts';
import { healthRoutes } from '../routes/health.ts';
import { notificationRoutes } from '../routes/notification.ts';
import { openApiRoute } from '../routes/openapi.ts';
import { profileRoutes } from '../routes/profiles.ts';
import { switchProfileRoutes } from '../routes/switch-profiles.ts';
import { taskRoutes } from '../routes/tasks.ts';

/** @param keys whether nodes need the keys of their boots */
export function southboundRoutes(
  metrics: RequestMetrics,
  keys: Engine['config']['southboundKeys'] = 'accept',
): Route[] {
  const routes = [
    ...notificationRoutes,
    alertRoute,
    addCatalogRoute,
    ...taskRoutes,
    ...profileRoutes,
    bootImageRoute,
    ...switchProfileRoutes,
    ...nodeFileRoutes,
    ...docsRoutes,
    ...healthRoutes(metrics),
  ];
  return [...routes, openApiRoute(routes, keys)];
}
