/**
 * Discovers BMCs by Redfish: the activity and the machine of the tasks that do so, whatever the form of their options
 * (`tasks/redfish-discover.ts`). Some BMCs are read at a time; one that fails is skipped, and if all fail, the task does.
 */
import { isIP } from 'node:net';
import {
  type ActivityScope,
  activity,
  errorOf,
  type NodeError,
  PermanentError,
  type Redfish,
  type TaskInput,
} from 'nodewright/define';
import { assign, setup } from 'xstate';
import type { Violation } from '../../vocabulary/errors.ts';
import { addCatalogs, readBmc } from './bmc-catalogs.ts';
import { hostOfTarget } from './discovery-targets.ts';
import { needRedfish } from './root-service.ts';

/** BMCs that one activity reads. */
const TOGETHER = 8;

export interface BmcTarget {
  /** null: the BMC of the node. */
  address: string | null;
  /** It may be that of a BMC which no node has. */
  isNewAllowed: boolean;
  /** Protocol and port of an address without an obm. */
  protocol: 'http' | 'https';
  port?: number;
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

export interface DiscoveryOutput {
  bmcs: DiscoveredBmc[];
}

export interface TargetList {
  targets: BmcTarget[];
  /** Violations of options that a step computed; those of a launch are rejected before. */
  violations: Violation[];
}

interface BatchInput extends TargetList {
  /** Limit of the time for one BMC. */
  budgetSec: number;
  /** They are the last ones, and all before them failed. */
  isLastChance: boolean;
}

type Scope = ActivityScope<BatchInput>;

const discover = activity(async (scope: Scope): Promise<DiscoveryOutput> => {
  const [violation] = scope.input.violations;
  if (violation !== undefined) throw new PermanentError(`${violation.path} ${violation.message}`, 'INVALID_OPTIONS');
  const bmcs = await Promise.all(scope.input.targets.map((target) => outcomeOf(scope, target)));
  const [first] = bmcs;
  if (!scope.input.isLastChance || bmcs.some(({ error }) => error === undefined)) return { bmcs };
  throw Object.assign(new Error(`no BMC could be read; ${first?.address}: ${first?.error?.message}`), {
    code: first?.error?.code,
  });
});

/** Never rejects, except when the activity is aborted. */
async function outcomeOf(scope: Scope, target: BmcTarget): Promise<DiscoveredBmc> {
  const { signal, input } = scope;
  const limit = new AbortController();
  const late = new PermanentError(`the BMC was not read within ${input.budgetSec} s; raise budgetSec`, 'TASK_TIMEOUT');
  // A timer of our own, as for all exchanges: Node 20 may collect the signal of a timeout that is combined with another.
  const timer = setTimeout(() => limit.abort(late), input.budgetSec * 1_000);
  try {
    return await discoverBmc({ ...scope, signal: AbortSignal.any([signal, limit.signal]) }, target);
  } catch (error) {
    signal.throwIfAborted();
    return { address: target.address ?? 'the BMC of the node', error: errorOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

async function discoverBmc(scope: Scope, target: BmcTarget): Promise<DiscoveredBmc> {
  const { services, signal } = scope;
  const { service, access } = await serviceAt(scope, target);
  const { catalogs, macs } = await readBmc(service, signal);
  const host = hostOfTarget(target.address ?? service.origin);
  const { id, isNew } = await services.registerBmc({ host, macs, ...(access !== undefined && { access }) });
  const sources = await addCatalogs(scope, id, catalogs);
  const { sku } = await services.completeDiscovery(id, `${scope.operationId} ${id}`);
  return { address: target.address ?? host, node: id, isNew, sku, catalogs: sources };
}

/** @returns with the config of the obm that the node of a new host gets */
async function serviceAt(
  { services, nodeId, signal }: Scope,
  target: BmcTarget,
): Promise<{ service: Redfish; access?: Record<string, unknown> }> {
  const { address, credential, verifySSL, ca } = target;
  const trust = { ...(verifySSL !== undefined && { verifySSL }), ...(ca !== undefined && { ca }) };
  if (address === null) {
    if (nodeId === null) throw new PermanentError('name addresses, or launch the graph on a node', 'NO_NODE');
    return { service: await services.redfish(nodeId, { ...credential, ...trust }) };
  }
  const host = hostOfTarget(address);
  const origin = originOf(address, target);
  const [node] = await services.nodesOfBmc(host);
  if (node !== undefined && credential === undefined) return { service: await services.redfish(node, trust) };
  if (node !== undefined) return { service: await services.redfish(null, { origin, ...credential, ...trust }) };
  if (!target.isNewAllowed)
    throw new PermanentError(`no node has an obm at ${host}; put one, or set newHosts`, 'BMC_UNKNOWN');
  if (credential === undefined) throw new PermanentError('newHosts needs a credential for them', 'OBM_MISSING');
  // A name could lead elsewhere when it is asked again.
  if (isIP(host) === 0)
    throw new PermanentError(`found the name ${host}; expected the address of a new BMC`, 'BMC_UNKNOWN');
  await needRedfish({ services, signal, input: { url: origin, ...trust } });
  const service = await services.redfish(null, { origin, ...credential, ...trust });
  return { service, access: { uri: origin, ...credential, ...trust } };
}

function originOf(address: string, { protocol, port }: BmcTarget): string {
  if (address.includes('://')) return address;
  const host = isIP(address) === 6 ? `[${address}]` : address;
  return new URL(`${protocol}://${host}${port === undefined ? '' : `:${port}`}`).origin;
}

/** Exported for the declarations of the package. */
export interface DiscoveryContext<Options> extends TaskInput<Options>, DiscoveryOutput {
  /** BMCs that were read, and all of them. */
  count: number;
  total: number;
}

/**
 * Returns the machine of a task.
 * @param targetsOf is asked for each batch, so that the targets are not stored with each step
 */
export function discoveryMachine<Options extends { budgetSec: number }>(
  id: string,
  targetsOf: (options: Options) => TargetList,
) {
  const batchOf = ({ options, bmcs, count, total }: DiscoveryContext<Options>): BatchInput => ({
    targets: targetsOf(options).targets.slice(count, count + TOGETHER),
    violations: targetsOf(options).violations,
    budgetSec: options.budgetSec,
    isLastChance: count + TOGETHER >= total && bmcs.every(({ error }) => error !== undefined),
  });
  return setup({
    types: {} as { context: DiscoveryContext<Options>; input: TaskInput<Options>; output: DiscoveryOutput },
    actors: { discover },
    guards: { through: ({ context }) => context.count >= context.total },
  }).createMachine({
    id,
    context: ({ input }) => ({ ...input, bmcs: [], count: 0, total: targetsOf(input.options).targets.length }),
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
  });
}
