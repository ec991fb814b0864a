/**
 * Discovery: registers unknown machines, and starts the workflow that identifies a node (`discovery-results.ts`: its end).
 *
 * 1. A node is `toDiscover` from the write that creates it until its workflow has started. The workflow's id is derived
 *    from the node, so any process that finds the mark may start the workflow: only one is created.
 * 2. The lease holder looks for nodes that a dead process, or another workflow on the node, left undiscovered.
 */
import type { Discovery, RegisteredNode, SentIdentity } from '../../api-port/index.ts';
import type { DiscoveryResults } from '../../inventory/nodes/discovery-results.ts';
import type { NodeRequests } from '../../inventory/nodes/node-requests.ts';
import type { Registration } from '../../inventory/nodes/registration.ts';
import type { StoredNode } from '../../inventory/nodes/stored-node.ts';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import { uuidOf } from '../../platform/lib/derived-uuid.ts';
import type { Reconciler } from '../../platform/lib/reconciler.ts';
import { inGroups, pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { isRejection, NodewrightError } from '../../vocabulary/errors.ts';
import { withTimeout } from '../../vocabulary/with-timeout.ts';
import type { DiscoveryGraph } from './discovery-graphs.ts';
import type { LaunchRequests } from './launch-requests.ts';

const PASS_INTERVAL_MS = 2_000;
const NODES_CONCURRENCY = 20;
/** ms that the first request of a machine waits for its discovery to start. */
const REGISTRATION_MS = 4_000;

/** The modules of nodes that register machines. */
interface Registering {
  storedNodes: Collection<StoredNode>;
  registration: Registration;
  nodes: Pick<NodeRequests, 'find'>;
}

export class DiscoveryRequests implements Discovery {
  readonly #stored: Collection<StoredNode>;
  readonly #registration: Registration;
  readonly #nodes: Pick<NodeRequests, 'find'>;
  readonly #launches: Pick<LaunchRequests, 'launchOnce'>;
  readonly #results: DiscoveryResults;
  readonly #graphOf: (node: StoredNode) => DiscoveryGraph;
  readonly #failed: (error: unknown) => void;
  readonly #begins = new Map<string, Promise<void>>();
  readonly #reconciler: Reconciler<'registered'>;

  /** @param graphOf returns the graph that discovers a node */
  constructor(
    { storedNodes, registration, nodes }: Registering,
    launches: Pick<LaunchRequests, 'launchOnce'>,
    results: DiscoveryResults,
    cluster: Pick<Cluster, 'reconciler'>,
    graphOf: (node: StoredNode) => DiscoveryGraph,
    failed: (error: unknown) => void,
  ) {
    this.#stored = storedNodes;
    this.#registration = registration;
    this.#nodes = nodes;
    this.#launches = launches;
    this.#results = results;
    this.#graphOf = graphOf;
    this.#failed = failed;
    this.#reconciler = cluster.reconciler<'registered'>({
      name: 'discovery',
      everyMs: PASS_INTERVAL_MS,
      firstMs: PASS_INTERVAL_MS,
      everywhere: ['registered'],
      pass: () => this.#look(),
      failed,
    });
  }

  macsAt(address: string): Promise<string[]> {
    return this.#registration.macsAt(address);
  }

  identify(sent: SentIdentity): Promise<string | undefined> {
    return this.#registration.identify(sent);
  }

  async register(sent: SentIdentity): Promise<RegisteredNode> {
    const since = performance.now();
    const id = await this.#registration.register(sent);
    // Many machines may be switched on at the same time: a late one gets a provisional answer, and is still discovered.
    await withTimeout(this.begin(id), Math.max(0, REGISTRATION_MS - (performance.now() - since)), () => {});
    const isEarly = (await this.#stored.get(id))?.toDiscover === true;
    const node = await this.#nodes.find(id);
    if (node === undefined) throw new NodewrightError('NOT_FOUND', `the node ${id} was removed just now`);
    return { ...node, isEarly };
  }

  /** Starts the discovery of a node. A machine asks with each of its interfaces; concurrent calls share one start. */
  begin(id: string): Promise<void> {
    const underWay = this.#begins.get(id) ?? this.#begin(id).finally(() => this.#begins.delete(id));
    this.#begins.set(id, underWay);
    return underWay;
  }

  async #begin(id: string): Promise<void> {
    const node = await this.#stored.get(id);
    if (node?.toDiscover !== true) return;
    try {
      const request = { ...this.#graphOf(node), nodeId: id, discovery: true } as const;
      await this.#launches.launchOnce(uuidOf(`${id} ${node.createdAt}`), request);
    } catch (error) {
      // An unavailable store, a busy or a held node: the reconcile loop retries later.
      if (!isRejection(error)) return this.#failed(error);
      if (error.code === 'NODE_BUSY' || error.code === 'NODE_HELD') return;
      await this.#results.noteError(id, { code: error.code, message: error.message });
    }
    await this.#stored.update({ id, toDiscover: true }, { $set: { toDiscover: false } });
  }

  soon(): void {
    void this.#reconciler.request('registered');
  }

  start(): void {
    this.#reconciler.start();
  }

  async #look(): Promise<void> {
    const left = pages(this.#stored, { toDiscover: true });
    await inGroups(left, NODES_CONCURRENCY, ({ id }) => this.begin(id).catch(this.#failed));
  }

  async close(): Promise<void> {
    await this.#reconciler.close();
  }
}
