/** The figures of the bench, by name. */
import { alerts, servicesAlerts } from './alerts.ts';
import { api } from './api.ts';
import { sideBySide } from './beside/side-by-side.ts';
import { coldstart, servicesColdstart } from './coldstart.ts';
import { commands } from './commands.ts';
import { consolePages } from './console.ts';
import { eventLog, servicesEventLog } from './event-log.ts';
import type { Figure } from './figure.ts';
import { files } from './files.ts';
import { fleet, fleetBoots, fleetRollout, servicesFleet } from './fleet.ts';
import { parked, servicesParked } from './parked.ts';
import { profile } from './profile.ts';
import { servicesRecovery } from './services-recovery.ts';
import { servicesTrips } from './services-trips.ts';
import { sizes } from './sizes.ts';
import { skus } from './skus.ts';
import { stepCost } from './step.ts';
import { servicesStored, stored } from './stored.ts';

/** They have goals, and are measured by default. */
export const goals: Readonly<Record<string, Figure>> = {
  step: stepCost,
  'side-by-side': sideBySide,
  'services-stored': servicesStored,
  'services-parked': servicesParked,
  coldstart,
  commands,
  api,
  skus,
  parked,
  stored,
};

/** All rows of the goals that are measured from outside, in one run. */
export const groups: Readonly<Record<string, readonly string[]>> = {
  beside: ['side-by-side', 'commands', 'coldstart', 'api', 'parked', 'services-parked', 'stored', 'services-stored'],
};

/** They have goals as well, and are measured by a command of their own. */
export const elsewhere: Readonly<Record<string, string>> = {
  '1,000 kills': 'npm run chaos -- --kills 1000 --minutes 100',
};

export const figures: Readonly<Record<string, Figure>> = {
  ...goals,
  profile,
  alerts,
  console: consolePages,
  'event-log': eventLog,
  'services-event-log': servicesEventLog,
  files,
  fleet,
  'fleet-boots': fleetBoots,
  'fleet-rollout': fleetRollout,
  'services-fleet': servicesFleet,
  sizes,
  'services-coldstart': servicesColdstart,
  'services-trips': servicesTrips,
  'services-recovery': servicesRecovery,
  'services-alerts': servicesAlerts,
};
