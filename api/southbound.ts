/** What nodes may call: no token, so nothing that changes more than the node itself and the workflow that waits for it. */
import type { RequestMetrics } from './middleware/measure.ts';
import type { Route } from './route.ts';
import { addCatalogRoute } from './routes/catalogs.ts';
import { docsRoutes } from './routes/docs.ts';
import { healthRoutes } from './routes/health.ts';
import { notificationRoutes } from './routes/notification.ts';
import { openApiRoute } from './routes/openapi.ts';
import { profileRoutes } from './routes/profiles.ts';
import { taskRoutes } from './routes/tasks.ts';

export function southbound(metrics: RequestMetrics): Route[] {
  const routes = [
    ...notificationRoutes,
    addCatalogRoute,
    ...taskRoutes,
    ...profileRoutes,
    ...docsRoutes,
    ...healthRoutes(metrics),
  ];
  return [...routes, openApiRoute(routes)];
}
