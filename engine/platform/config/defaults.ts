/** The default configuration. */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../vocabulary/package-path.ts';
import { MIB } from '../../vocabulary/units.ts';
import type { ConfigFile } from './config-schema.ts';
import { quotaDefaults } from './southbound-quotas.ts';

/** Each default, with its reason. */
export const defaults = {
  // Loopback only: a fresh install has no users yet, so only this machine may reach it.
  httpEndpoints: [
    { port: 8080, routers: 'northbound-api-router' },
    { port: 9080, routers: 'southbound-api-router' },
  ],
  // Required to create the first user.
  enableLocalHostException: true,
  dataDir: './data',
  // A single Redis loses nothing if it syncs each write.
  redisReplicas: 0,
  // One day, so that users log in at most once a day.
  authTokenExpireIn: 86_400,
  // Subscribers that miss three heartbeats detect a dead daemon within half a minute.
  heartbeatIntervalSec: 10,
  // A listener that was away for a long weekend finds what it missed.
  eventRetentionDays: 7,
  // Task runs mostly wait for machines; a hundred of them keep one process busy without overloading it.
  taskConcurrency: 100,
  // A step takes a millisecond, and clients get a response within 10 s.
  stepLimitMs: 5_000,
  // The largest catalogs in the field are 2 MiB.
  bodyLimit: 10 * MIB,
  // Enough for the boot image of a node agent, but not for an operating system.
  packLimit: 256 * MIB,
  // Users who may change SKUs may not run code in the daemon unless the operator allows it.
  packCode: false,
  // A year, the usual time between two audits.
  auditRetentionDays: 365,
  // A quarter: long enough to compare, and some hundred megabytes at a thousand workflows a day.
  workflowRetentionDays: 90,
  // Ten years, as long as the longest of the usual periods for which evidence of an erase is kept.
  certificateRetentionDays: 3_650,
  // The latest of each source stays, and of the others ten at most.
  catalogRetentionDays: 90,
  // A boot with its installation; a rack of fifty machines then has some ten megabytes.
  consoleLines: 5_000,
  // A quarter, as workflows.
  consoleRetentionDays: 90,
  log: { level: 'info' },
  // None: the operator decides which commands may run on this machine.
  shellCommands: [],
  // A site decides what needs a second person.
  approvals: [],
  // A site decides who may do what its roles do not distinguish.
  restrictions: [],
  discoveryGraph: 'Graph.SKU.Discovery',
  // A graph that runs itself would fill the store; a rack has about fifty nodes, and graphs rarely nest deeper than
  // three.
  childGraphs: { maxDepth: 8, maxDescendants: 1_000 },
  // BMCs are small computers: many lose a third concurrent request. After repeated failures the circuit first opens for
  // half a minute. Every IPMI 2.0 BMC has cipher suite 3.
  obm: { concurrency: 2, timeoutMs: 20_000, failures: 3, backoffMs: 30_000, cipherSuite: 3 },
  // Installers and microkernels for earlier versions send no key.
  southboundKeys: 'accept',
  southboundQuotas: quotaDefaults,
  env: {},
} satisfies ConfigFile;

/** The folder of this package, whatever the working directory, and the one in the working directory, if there is one. */
export function ownFolders(name: 'graphs' | 'tasks', cwd: string): string[] {
  const [included, ownFolder] = [packagePath(name), join(cwd, name)];
  const isOther = existsSync(ownFolder) && realpathSync(ownFolder) !== realpathSync(included);
  return isOther ? [included, ownFolder] : [included];
}
