/** The types of the routes that the command line and the console use. Types only: no route is loaded. */
import type { asyncApiRoute } from '../routes/asyncapi.ts';
import type { auditRoutes } from '../routes/audit.ts';
import type { baselineRoutes } from '../routes/baselines.ts';
import type { batchRoutes } from '../routes/batches.ts';
import type { bmcRoutes } from '../routes/bmcs.ts';
import type { bulkActionRoutes } from '../routes/bulk-actions.ts';
import type { calendarRoutes } from '../routes/calendar.ts';
import type { catalogRoutes } from '../routes/catalogs.ts';
import type { certificateRoutes } from '../routes/certificates.ts';
import type { configRoutes } from '../routes/config.ts';
import type { eventRoutes } from '../routes/events.ts';
import type { failureRoutes } from '../routes/failures.ts';
import type { healthRoutes } from '../routes/health.ts';
import type { holdRoutes } from '../routes/holds.ts';
import type { hookRoutes } from '../routes/hooks.ts';
import type { libraryRoutes } from '../routes/library.ts';
import type { loginRoutes } from '../routes/login.ts';
import type { lookupRoutes } from '../routes/lookups.ts';
import type { machineConsoleRoutes } from '../routes/machine-consoles.ts';
import type { nodeHardwareRoutes } from '../routes/node-hardware.ts';
import type { nodeHealthRoutes } from '../routes/node-health.ts';
import type { nodePowerRoutes } from '../routes/node-power.ts';
import type { nodeWorkflowRoutes } from '../routes/node-workflows.ts';
import type { nodeRoutes } from '../routes/nodes.ts';
import type { obmRoutes } from '../routes/obms.ts';
import type { operatorNotificationRoutes } from '../routes/operator-notification.ts';
import type { planRoutes } from '../routes/plan.ts';
import type { pollerRoutes } from '../routes/pollers.ts';
import type { providerLoginRoutes } from '../routes/provider-login.ts';
import type { providerLogoutRoutes } from '../routes/provider-logout.ts';
import type { rehearsalRoutes } from '../routes/rehearsals.ts';
import type { relationRoutes } from '../routes/relations.ts';
import type { retryRoutes } from '../routes/retry.ts';
import type { roleRoutes } from '../routes/roles.ts';
import type { rolloutRoutes } from '../routes/rollouts.ts';
import type { ruleRoutes } from '../routes/rules.ts';
import type { scheduleRoutes } from '../routes/schedules.ts';
import type { simulationRoutes } from '../routes/simulation.ts';
import type { skuRoutes } from '../routes/skus.ts';
import type { supportRoute } from '../routes/support.ts';
import type { tagRoutes } from '../routes/tags.ts';
import type { teamRoutes } from '../routes/teams.ts';
import type { ticketRoutes } from '../routes/tickets.ts';
import type { tokenRoutes } from '../routes/tokens.ts';
import type { userRoutes } from '../routes/users.ts';
import type { whyRoutes } from '../routes/why.ts';
import type { windowRoutes } from '../routes/windows.ts';
import type { workflowRoutes } from '../routes/workflows.ts';

type Routes =
  | readonly [typeof asyncApiRoute]
  | typeof auditRoutes
  | typeof baselineRoutes
  | typeof batchRoutes
  | typeof bmcRoutes
  | typeof bulkActionRoutes
  | typeof catalogRoutes
  | typeof certificateRoutes
  | typeof configRoutes
  | typeof eventRoutes
  | typeof failureRoutes
  | ReturnType<typeof healthRoutes>
  | typeof holdRoutes
  | typeof machineConsoleRoutes
  | typeof nodeHardwareRoutes
  | typeof nodeHealthRoutes
  | typeof nodePowerRoutes
  | typeof hookRoutes
  | typeof libraryRoutes
  | typeof loginRoutes
  | typeof providerLoginRoutes
  | typeof providerLogoutRoutes
  | typeof lookupRoutes
  | typeof pollerRoutes
  | typeof rehearsalRoutes
  | typeof relationRoutes
  | typeof nodeRoutes
  | typeof nodeWorkflowRoutes
  | typeof obmRoutes
  | typeof operatorNotificationRoutes
  | typeof planRoutes
  | typeof retryRoutes
  | typeof roleRoutes
  | typeof rolloutRoutes
  | typeof ruleRoutes
  | typeof simulationRoutes
  | typeof scheduleRoutes
  | typeof skuRoutes
  | readonly [typeof supportRoute]
  | typeof tagRoutes
  | typeof teamRoutes
  | typeof ticketRoutes
  | typeof tokenRoutes
  | typeof userRoutes
  | typeof whyRoutes
  | typeof windowRoutes
  | typeof calendarRoutes
  | typeof workflowRoutes;

type DeclaredTypes<R> = R extends { readonly types?: infer T } ? NonNullable<T> : never;

/** The types of each route: `{ method, path, query, body, answer }`. */
export type RouteTypes = DeclaredTypes<Routes[number]>;
