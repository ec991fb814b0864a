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
import { isIP } from 'node:net';
import {
  type ActivityScope,
  activity,
  defineTask,
  errorOf,
  type NodeError,
  PermanentError,
  type Redfish,
  secret,
  type TaskInput,
  Type,
} from 'nodewright/define';
import { assign, setup } from 'xstate';
import { BMC_LIMIT, discoveryTargets, hostOfTarget } from '../engine/hardware/redfish/discovery-targets.ts';
import { inventoryOf } from '../engine/hardware/redfish/inventory.ts';
import { needRedfish } from '../engine/hardware/redfish/root-service.ts';
import { type Ask, onlySystem, serviceOptions, text } from '../engine/hardware/redfish/service.ts';

const name = 'Task.Redfish.Discover';
/** BMCs that one activity reads. */
const TOGETHER = 8;

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

interface DiscoveredBmc {
  address: string;
  node?: string;
  isNew?: boolean;
  sku?: string | null;
  /** Sources. */
  catalogs?: string[];
  error?: NodeError;
}

interface Output {
  bmcs: DiscoveredBmc[];
}

interface BatchInput extends Options {
  /** null: the BMC of the node. */
  targets: (string | null)[];
  /** They are the last ones, and all before them failed. */
  isLastChance: boolean;
}

type Scope = ActivityScope<BatchInput>;

const discover = activity(async (scope: Scope): Promise<Output> => {
  const [violation] = discoveryTargets(scope.input.addresses ?? []).violations;
  if (violation !== undefined) throw new PermanentError(`${violation.path} ${violation.message}`, 'INVALID_OPTIONS');
  const bmcs = await Promise.all(scope.input.targets.map((target) => outcomeOf(scope, target)));
  const [first] = bmcs;
  if (!scope.input.isLastChance || bmcs.some(({ error }) => error === undefined)) return { bmcs };
  throw Object.assign(new Error(`no BMC could be read; ${first?.address}: ${first?.error?.message}`), {
    code: first?.error?.code,
  });
});

/** Never rejects, except when the activity is aborted. */
async function outcomeOf(scope: Scope, target: string | null): Promise<DiscoveredBmc> {
  const { signal, input } = scope;
  const limit = new AbortController();
  const late = new PermanentError(`the BMC was not read within ${input.budgetSec} s; raise budgetSec`, 'TASK_TIMEOUT');
  // A timer of our own, as for all exchanges: Node 20 may collect the signal of a timeout that is combined with another.
  const timer = setTimeout(() => limit.abort(late), input.budgetSec * 1_000);
  try {
    return await discoverBmc({ ...scope, signal: AbortSignal.any([signal, limit.signal]) }, target);
  } catch (error) {
    signal.throwIfAborted();
    return { address: target ?? 'the BMC of the node', error: errorOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

async function discoverBmc(scope: Scope, target: string | null): Promise<DiscoveredBmc> {
  const { services, signal, input } = scope;
  const { service, access } = await serviceAt(scope, target);
  const ask: Ask = (request) => service.ask(request, signal);
  const { catalogs, macs } = await inventoryOf(ask, service.system ?? (await onlySystem(ask)));
  const host = hostOfTarget(target ?? service.origin);
  const { id, isNew } = await services.registerBmc({ host, macs, ...(access !== undefined && { access }) });
  for (const [source, data] of Object.entries(catalogs)) {
    signal.throwIfAborted();
    await services.addCatalog(id, source, data);
  }
  const { sku } = await services.completeDiscovery(id, `${scope.operationId} ${id}`);
  return {
    address: input.addresses === undefined ? host : (target ?? host),
    node: id,
    isNew,
    sku,
    catalogs: Object.keys(catalogs),
  };
}

/** @returns with the config of the obm that the node of a new host gets */
async function serviceAt(
  { services, input, nodeId, signal }: Scope,
  target: string | null,
): Promise<{ service: Redfish; access?: Record<string, unknown> }> {
  const { credential, verifySSL, ca } = input;
  const trust = { ...(verifySSL !== undefined && { verifySSL }), ...(ca !== undefined && { ca }) };
  if (target === null) {
    if (nodeId === null) throw new PermanentError('name addresses, or launch the graph on a node', 'NO_NODE');
    return { service: await services.redfish(nodeId, { ...credential, ...trust }) };
  }
  const host = hostOfTarget(target);
  const origin = originOf(target, input);
  const [node] = await services.nodesOfBmc(host);
  if (node !== undefined && credential === undefined) return { service: await services.redfish(node, trust) };
  if (node !== undefined) return { service: await services.redfish(null, { origin, ...credential, ...trust }) };
  if (!input.newHosts)
    throw new PermanentError(`no node has an obm at ${host}; put one, or set newHosts`, 'BMC_UNKNOWN');
  if (credential === undefined) throw new PermanentError('newHosts needs a credential for them', 'OBM_MISSING');
  // A name could lead elsewhere when it is asked again.
  if (isIP(host) === 0)
    throw new PermanentError(`found the name ${host}; expected the address of a new BMC`, 'BMC_UNKNOWN');
  await needRedfish({ services, signal, input: { url: origin, ...trust } });
  const service = await services.redfish(null, { origin, ...credential, ...trust });
  return { service, access: { uri: origin, ...credential, ...trust } };
}

function originOf(target: string, { protocol, port }: Options): string {
  if (target.includes('://')) return target;
  const host = isIP(target) === 6 ? `[${target}]` : target;
  return new URL(`${protocol}://${host}${port === undefined ? '' : `:${port}`}`).origin;
}

interface Context extends TaskInput<Options>, Output {
  targets: (string | null)[];
  /** Those that were read. */
  count: number;
}

const targetsOf = ({ addresses }: Options) => (addresses === undefined ? [null] : discoveryTargets(addresses).targets);

const batchOf = ({ options, targets, bmcs, count }: Context): BatchInput => ({
  ...options,
  targets: targets.slice(count, count + TOGETHER),
  isLastChance: count + TOGETHER >= targets.length && bmcs.every(({ error }) => error !== undefined),
});

export default defineTask<typeof optionsSchema, Output>({
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
  machine: setup({
    types: {} as { context: Context; input: TaskInput<Options>; output: Output },
    actors: { discover },
    guards: { through: ({ context }) => context.count >= context.targets.length },
  }).createMachine({
    id: name,
    context: ({ input }) => ({ ...input, targets: targetsOf(input.options), bmcs: [], count: 0 }),
    initial: 'discovering',
    states: {
      discovering: {
        invoke: {
          src: 'discover',
          input: ({ context }) => batchOf(context),
          onDone: {
            target: 'judging',
            actions: assign({
              bmcs: ({ context, event }) => context.bmcs.concat(event.output.bmcs),
              count: ({ context }) => context.count + TOGETHER,
            }),
          },
        },
      },
      judging: { always: [{ guard: 'through', target: 'done' }, { target: 'discovering' }] },
      done: { type: 'final' },
    },
    output: ({ context }) => ({ bmcs: context.bmcs }),
  }),
});
