/** The table of all resources of a BMC, and the row of a path. */
import type { Model } from '../machine/model.ts';
import { accountRoutes } from './accounts.ts';
import { biosRoutes } from './bios-settings.ts';
import type { BmcRoute } from './bmc-call.ts';
import { managerRoutes } from './bmc-resource.ts';
import { chassisRoutes } from './chassis.ts';
import { componentRoutes } from './components.ts';
import { dellRoutes } from './dell.ts';
import { logRoutes } from './logs.ts';
import { mediaRoutes } from './media.ts';
import { olderSensorRoutes } from './older-sensors.ts';
import { sensorRoutes } from './sensors.ts';
import { rootRoutes } from './service-root.ts';
import { sessionRoutes } from './sessions.ts';
import { storageRoutes } from './storage.ts';
import { subscriptionRoutes } from './subscriptions.ts';
import { systemRoutes } from './systems.ts';
import { bmcTaskRoutes } from './tasks.ts';
import { updateRoutes } from './updates.ts';
import { volumeRoutes } from './volumes.ts';

const routes: readonly BmcRoute[] = [
  ...[...rootRoutes, ...sessionRoutes, ...accountRoutes],
  ...[...systemRoutes, ...componentRoutes, ...storageRoutes, ...volumeRoutes, ...biosRoutes],
  ...[...chassisRoutes, ...olderSensorRoutes, ...sensorRoutes],
  ...[...managerRoutes, ...logRoutes, ...mediaRoutes],
  ...[...updateRoutes, ...bmcTaskRoutes, ...subscriptionRoutes, ...dellRoutes],
];

/** A row with the segments of its path. */
interface SplitRoute {
  route: BmcRoute;
  segments: readonly string[];
}

/** Shared by all BMCs: by the number of segments. */
const byLength = new Map<number, SplitRoute[]>();
for (const route of routes) {
  const segments = route.path.split('/');
  byLength.set(segments.length, [...(byLength.get(segments.length) ?? []), { route, segments }]);
}

export interface FoundRoute {
  route: BmcRoute;
  params: Record<string, string>;
}

/** @returns the rows of a path; of two, the model has one */
export function routesAt(path: string, { ids }: Model): FoundRoute[] {
  const said = path.split('/');
  return (byLength.get(said.length) ?? []).flatMap(({ route, segments }) => {
    const params: Record<string, string> = {};
    const fits = segments.every((segment, at) => {
      const actual = said[at] ?? '';
      if (!segment.startsWith(':')) return segment === actual;
      const name = segment.slice(1);
      if (name === 'system' || name === 'chassis' || name === 'manager') return ids[name] === actual;
      params[name] = actual;
      return actual !== '';
    });
    return fits ? [{ route, params }] : [];
  });
}
