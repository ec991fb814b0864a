/** The figures of the bench, by name. */
import { alerts, servicesAlerts } from './alerts.ts';
import { api } from './api.ts';
import { coldstart, servicesColdstart } from './coldstart.ts';
import { consolePages } from './console.ts';
import { eventLog, servicesEventLog } from './event-log.ts';
import type { Figure } from './figure.ts';
import { files } from './files.ts';
import { latency, servicesLatency } from './latency.ts';
import { parked, servicesParked } from './parked.ts';
import { peers } from './peers.ts';
import { servicesDaemons } from './services-daemons.ts';
import { servicesRecovery } from './services-recovery.ts';
import { servicesThroughput } from './services-throughput.ts';
import { servicesTrips } from './services-trips.ts';
import { sizes } from './sizes.ts';
import { skus } from './skus.ts';
import { stepCost } from './step.ts';
import { servicesStored, stored } from './stored.ts';
import { throughput } from './throughput.ts';

/** They have goals, and are measured by default. */
export const goals: Readonly<Record<string, Figure>> = {
  step: stepCost,
  'services-throughput': servicesThroughput,
  'services-latency': servicesLatency,
  'services-daemons': servicesDaemons,
  'services-stored': servicesStored,
  'services-parked': servicesParked,
  throughput,
  coldstart,
  skus,
  parked,
  stored,
};

/** They have goals as well, and are measured by a command of their own. */
export const elsewhere: Readonly<Record<string, string>> = {
  'throughput beside Restate': 'npm run bench -- peers',
  '1,000 kills': 'npm run chaos -- --kills 1000 --minutes 100',
};

export const figures: Readonly<Record<string, Figure>> = {
  ...goals,
  peers,
  latency,
  api,
  alerts,
  console: consolePages,
  'event-log': eventLog,
  'services-event-log': servicesEventLog,
  files,
  sizes,
  'services-coldstart': servicesColdstart,
  'services-trips': servicesTrips,
  'services-recovery': servicesRecovery,
  'services-alerts': servicesAlerts,
};
