/**
 * Reads BMCs by Redfish, without a boot: catalogs of the system, its chassis, managers and firmware, and the MACs of the machine
 * as identifiers of the node. Then the SKU is assigned and `node.discovered` published, as after a discovery by PXE; the
 * graph of the SKU is not started.
 *
 * - A BMC is known if a node has an obm at its address: it is asked with that obm, unless `credential` is given.
 * - With `newHosts` other addresses are asked too, with `credential`: only what answers as a Redfish service gets it. The node is
 *   found by a MAC, or created, and gets the obm.
 * - Some BMCs are read at a time. One that fails is skipped; if all fail, the task does.
 *
 * Output: `{ bmcs: [{ address, node, isNew, sku, catalogs }] }`, with `error: { code, message }` instead for one that failed.
 */
import { defineTask, secret, Type } from 'nodewright/define';
import { type DiscoveryOutput, discoveryMachine, type TargetList } from '../engine/hardware/redfish/discover-bmcs.ts';
import { BMC_LIMIT, discoveryTargets } from '../engine/hardware/redfish/discovery-targets.ts';
import { serviceOptions, text } from '../engine/hardware/redfish/service.ts';

const name = 'Task.Redfish.Discover';

const optionsSchema = Type.Object(
  {
    addresses: Type.Optional(
      Type.Array(text, {
        minItems: 1,
        maxItems: BMC_LIMIT,
        description:
          'Addresses such as `10.1.1.7`, ranges `10.1.1.10-40`, subnets `10.1.1.0/26`, origins `https://10.1.1.7:8443`; at most 256 in all. Absent: the BMC of the node.',
      }),
    ),
    newHosts: Type.Boolean({ description: 'true: also addresses at which no node has an obm.' }),
    protocol: Type.Unsafe<'http' | 'https'>({ enum: ['http', 'https'], description: 'Of an address without an obm.' }),
    port: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 65_535, description: 'Port of an address without an obm.' }),
    ),
    budgetSec: Type.Integer({ minimum: 1, maximum: 3_600, description: 'Limit of the time for one BMC.' }),
    credential: Type.Optional(
      secret(
        Type.Object(
          { username: text, password: text },
          { description: "Account for all addresses; absent: those of the nodes' obms." },
        ),
      ),
    ),
    verifySSL: serviceOptions.verifySSL,
    ca: serviceOptions.ca,
  },
  { additionalProperties: false },
);

interface Options {
  addresses?: string[];
  newHosts: boolean;
  protocol: 'http' | 'https';
  port?: number;
  budgetSec: number;
  credential?: { username: string; password: string };
  verifySSL?: boolean;
  ca?: string;
}

function targetsOf({ addresses, newHosts: isNewAllowed, budgetSec: _, ...access }: Options): TargetList {
  const target = { isNewAllowed, ...access };
  if (addresses === undefined) return { targets: [{ address: null, ...target }], violations: [] };
  const { targets, violations } = discoveryTargets(addresses);
  return { targets: targets.map((address) => ({ address, ...target })), violations };
}

export default defineTask<typeof optionsSchema, DiscoveryOutput>({
  injectableName: name,
  friendlyName: 'Discover BMCs by Redfish',
  // Everything is read, and a node that a crash has left is found again by its MACs.
  recovery: 'idempotent',
  needs: [{ obm: 'redfish-obm-service', unless: ['addresses'] }],
  optionsSchema,
  options: { newHosts: false, protocol: 'https', budgetSec: 300 },
  checkLaunch: async ({ options }) => {
    const { addresses, newHosts, credential } = options as unknown as Options;
    const { violations } = discoveryTargets(addresses ?? []);
    if (newHosts && credential === undefined)
      violations.push({ path: 'credential', message: 'is missing; newHosts needs one' });
    return violations;
  },
  machine: discoveryMachine(name, targetsOf),
});
