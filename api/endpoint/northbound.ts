/** The routes for users and their programs. */

import { withOldPaths } from '../../engine/vocabulary/until-0.2.ts';
import type { Route } from '../http/route.ts';
import type { RequestMetrics } from '../middleware/measure.ts';
import { alertRoute } from '../routes/alerts.ts';
import { asyncApiRoute } from '../routes/asyncapi.ts';
import { auditRoutes } from '../routes/audit.ts';
import { baselineRoutes } from '../routes/baselines.ts';
import { batchRoutes } from '../routes/batches.ts';
import { bmcRoutes } from '../routes/bmcs.ts';
import { bulkActionRoutes } from '../routes/bulk-actions.ts';
import { calendarRoutes } from '../routes/calendar.ts';
import { catalogRoutes } from '../routes/catalogs.ts';
import { certificateRoutes } from '../routes/certificates.ts';
import { configRoutes } from '../routes/config.ts';
import { docsRoutes } from '../routes/docs.ts';
import { eventRoutes } from '../routes/events.ts';
import { failureRoutes } from '../routes/failures.ts';
import { fileRoutes } from '../routes/files.ts';
import { healthRoutes } from '../routes/health.ts';
import { holdRoutes } from '../routes/holds.ts';
import { hookRoutes } from '../routes/hooks.ts';
import { ledRoute } from '../routes/led.ts';
import { libraryRoutes } from '../routes/library.ts';
import { loginRoutes } from '../routes/login.ts';
import { lookupRoutes } from '../routes/lookups.ts';
import { machineConsoleRoutes } from '../routes/machine-consoles.ts';
import { nodeHardwareRoutes } from '../routes/node-hardware.ts';
import { nodeHealthRoutes } from '../routes/node-health.ts';
import { nodePowerRoutes } from '../routes/node-power.ts';
import { nodeWorkflowRoutes } from '../routes/node-workflows.ts';
import { nodeRoutes } from '../routes/nodes.ts';
import { broadcastRoute } from '../routes/notification.ts';
import { obmRoutes } from '../routes/obms.ts';
import { openApiRoute } from '../routes/openapi.ts';
import { operatorNotificationRoutes } from '../routes/operator-notification.ts';
import { planRoutes } from '../routes/plan.ts';
import { pollerRoutes } from '../routes/pollers.ts';
import { providerLoginRoutes } from '../routes/provider-login.ts';
import { providerLogoutRoutes } from '../routes/provider-logout.ts';
import { redfishRoutes } from '../routes/redfish.ts';
import { rehearsalRoutes } from '../routes/rehearsals.ts';
import { relationRoutes } from '../routes/relations.ts';
import { retryRoutes } from '../routes/retry.ts';
import { roleRoutes } from '../routes/roles.ts';
import { rolloutRoutes } from '../routes/rollouts.ts';
import { ruleRoutes } from '../routes/rules.ts';
import { scheduleRoutes } from '../routes/schedules.ts';
import { schemaRoutes } from '../routes/schemas.ts';
import { simulationRoutes } from '../routes/simulation.ts';
import { skuRoutes } from '../routes/skus.ts';
import { supportRoute } from '../routes/support.ts';
import { swaggerRoute } from '../routes/swagger.ts';
import { tagRuleRoutes } from '../routes/tag-rules.ts';
import { tagRoutes } from '../routes/tags.ts';
import { teamRoutes } from '../routes/teams.ts';
import { ticketRoutes } from '../routes/tickets.ts';
import { tokenRoutes } from '../routes/tokens.ts';
import { userRoutes } from '../routes/users.ts';
import { whyRoutes } from '../routes/why.ts';
import { windowRoutes } from '../routes/windows.ts';
import { workflowRoutes } from '../routes/workflows.ts';

/** @param keys whether southbound requests require a key; then broadcasts are for users */
export function northboundRoutes(metrics: RequestMetrics, keys: 'accept' | 'require' = 'require'): Route[] {
  const routes = [
    ...loginRoutes,
    ...providerLoginRoutes,
    ...providerLogoutRoutes,
    ...userRoutes,
    ...tokenRoutes,
    ...roleRoutes,
    ...teamRoutes,
    ...redfishRoutes,
    ...auditRoutes,
    ...nodeRoutes,
    ...tagRoutes,
    ...tagRuleRoutes,
    ...relationRoutes,
    ...catalogRoutes,
    ...skuRoutes,
    ...obmRoutes,
    ledRoute,
    ...pollerRoutes,
    ...lookupRoutes,
    alertRoute,
    ...nodeWorkflowRoutes,
    ...holdRoutes,
    ...machineConsoleRoutes,
    ...nodeHardwareRoutes,
    ...nodeHealthRoutes,
    ...nodePowerRoutes,
    ...windowRoutes,
    ...calendarRoutes,
    ...baselineRoutes,
    ...ticketRoutes,
    ...scheduleRoutes,
    ...ruleRoutes,
    ...workflowRoutes,
    ...planRoutes,
    ...whyRoutes,
    ...retryRoutes,
    ...operatorNotificationRoutes,
    ...(keys === 'require' ? [broadcastRoute] : []),
    ...withOldPaths<Route>(bmcRoutes),
    ...batchRoutes,
    ...bulkActionRoutes,
    ...failureRoutes,
    supportRoute,
    ...rolloutRoutes,
    ...rehearsalRoutes,
    ...certificateRoutes,
    ...libraryRoutes,
    ...simulationRoutes,
    ...fileRoutes,
    ...hookRoutes,
    ...eventRoutes,
    asyncApiRoute,
    ...configRoutes,
    ...docsRoutes,
    ...healthRoutes(metrics),
  ];
  const described = [...routes, ...schemaRoutes(routes)];
  const all = [...described, swaggerRoute(described)];
  return [...all, openApiRoute(all)];
}
