/** What holds where the configuration says nothing. */
import { inPackage } from '../define/place.ts';
import { quotaDefaults } from '../southbound/limits.ts';
import { type ConfigFile, MIB } from './schema.ts';

/** Each default, with its reason. */
export const defaults = {
  // Loopback only: a fresh install has no user yet, so nothing outside this machine may reach it.
  httpEndpoints: [
    { port: 8080, routers: 'northbound-api-router' },
    { port: 9080, routers: 'southbound-api-router' },
  ],
  // Without it nobody could make the first user.
  enableLocalHostException: true,
  dataDir: './data',
  // A working day's shift and a night: long enough not to log in twice a day.
  authTokenExpireIn: 86_400,
  // Listeners that miss three of these know within half a minute that the daemon is gone.
  heartbeatIntervalSec: 10,
  // Calls mostly wait for a machine; a hundred of them keep one process busy, not drowned.
  taskConcurrency: 100,
  // A step takes a millisecond, and clients are answered within 10 s.
  stepLimitMs: 5_000,
  // The largest catalogs in the field are 2 MiB.
  bodyLimit: 10 * MIB,
  // A pack may bring a boot image of a node agent, but not an operating system.
  packLimit: 256 * MIB,
  // Whoever may change SKUs may not have code run by the daemon, unless its owner says that they are the same people.
  packCode: false,
  log: { level: 'info' },
  // No command: what may run on this machine is for its owner to say.
  shellCommands: [],
  discoveryGraph: 'Graph.SKU.Discovery',
  // A graph that runs itself would fill the store; a rack has some fifty nodes, and graphs seldom nest deeper than three.
  childGraphs: { maxDepth: 8, maxDescendants: 1_000 },
  // BMCs are small computers: many lose what comes third. One that is dead is left alone for half a minute at first. Cipher
  // suite 3 is what every IPMI 2.0 BMC has.
  obm: { concurrency: 2, timeoutMs: 20_000, failures: 3, restMs: 30_000, cipherSuite: 3 },
  // Installers and microkernels of before send no key.
  southboundKeys: 'accept',
  southboundQuotas: quotaDefaults,
  env: {},
} satisfies ConfigFile;

/** Where the daemon's own graphs and tasks are, whatever directory it is started from. */
export const ownFolders = { graphs: [inPackage('graphs')], tasks: [inPackage('tasks')] };
