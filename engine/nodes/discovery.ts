/**
 * Discovery: starts the workflow that identifies a node, and publishes an event when the node is discovered.
 *
 * 1. A node is `toDiscover` from the write that creates it until its workflow has started. The workflow's id is derived
 *    from the node, so any process that finds the mark may start the workflow: only one is created.
 * 2. The lease holder looks for nodes that a dead process, or another workflow on the node, left undiscovered.
 */
import { createHash } from 'node:crypto';
import type { Arrived, Discovery, NodeRecord, Sent } from '../api-port/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Discovered, NodeError } from '../define/discovered.ts';
import { NodewrightError } from '../define/errors.ts';
import { type Publication, publicationOf } from '../define/event.ts';
import { withTimeout } from '../define/with-timeout.ts';
import type { Reconciler } from '../lib/reconciler.ts';
import type { StoredSku } from '../skus/stored-sku.ts';
import { inGroups, pages } from '../store/pages.ts';
import type { Collection } from '../store/port.ts';
import { Registration, type RegistrationPort } from './registration.ts';

export interface DiscoveryPort extends RegistrationPort {
  /** Name of the discovery graph. */
  graphName: string;
  skus: Collection<StoredSku>;
  cluster: Pick<Cluster, 'reconciler'>;
  find(node: string): Promise<NodeRecord | undefined>;
  /** Launches a workflow at most once under this id. @throws NodewrightError as a launch */
  launchOnce(id: string, graphName: string, node: string): Promise<void>;
  /** Resolves when the node has the SKU that its catalogs match. */
  classify(node: string): Promise<unknown>;
  publish(publications: readonly Publication[]): Promise<void>;
  /** Reports a node that could not be discovered. */
  wrong(node: string, error: NodeError): void;
  failed(error: unknown): void;
}

const EVERY_MS = 2_000;
const NODES_CONCURRENCY = 20;
/** ms that the first request of a machine waits for its discovery to start. */
const ARRIVAL_MS = 4_000;
/** Limit of addresses in an event. */
const ADDRESSES = 100;

export class DiscoveryRequests implements Discovery {
  readonly #port: DiscoveryPort;
  readonly #registration: Registration;
  readonly #begins = new Map<string, Promise<void>>();
  readonly #reconciler: Reconciler;

  constructor(port: DiscoveryPort) {
    this.#port = port;
    this.#registration = new Registration(port);
    this.#reconciler = port.cluster.reconciler({
      name: 'discovery',
      everyMs: EVERY_MS,
      firstMs: EVERY_MS,
      pass: () => this.#look(),
      failed: port.failed,
    });
  }

  known(sent: Sent): Promise<string | undefined> {
    return this.#registration.known(sent);
  }

  async arrive(sent: Sent): Promise<Arrived> {
    const since = performance.now();
    const id = await this.#registration.node(sent);
    // Many machines may be switched on at once: a late one gets a provisional answer, and is still discovered.
    await withTimeout(this.begin(id), Math.max(0, ARRIVAL_MS - (performance.now() - since)), () => {});
    const isEarly = (await this.#port.stored.get(id))?.toDiscover === true;
    const node = await this.#port.find(id);
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
    const { stored, launchOnce, graphName } = this.#port;
    const node = await stored.get(id);
    if (node?.toDiscover !== true) return;
    try {
      await launchOnce(uuidOf(`${id} ${node.createdAt}`), graphName, id);
    } catch (error) {
      // An unavailable store or a busy node: the reconcile loop retries later.
      if (!(error instanceof NodewrightError) || error.status >= 500) return this.#port.failed(error);
      if (error.code === 'NODE_BUSY') return;
      await this.noteError(id, { code: error.code, message: error.message });
    }
    await stored.update({ id, toDiscover: true }, { $set: { toDiscover: false } });
  }

  /** Ends a discovery: classifies the node and publishes `node.discovered`. @param operationId the same in a repetition */
  async discovered(id: string, operationId: string): Promise<Discovered> {
    const { stored, skus, classify, publish } = this.#port;
    await classify(id);
    const node = await stored.update({ id }, { $unset: { error: '' } });
    if (node === undefined) throw new NodewrightError('NOT_FOUND', `Could not find node with identifier ${id}`);
    const sku = node.sku === null ? undefined : await skus.get(node.sku);
    const ipMacAddresses = await this.#addresses(id);
    await publish([
      publicationOf({
        id: uuidOf(`discovered ${operationId}`),
        version: '1.0',
        type: 'node',
        action: 'discovered',
        severity: 'information',
        typeId: id,
        createdAt: new Date().toISOString(),
        nodeId: id,
        data: { ipMacAddresses, nodeId: id, nodeType: node.type },
      }),
    ]);
    const graph = sku?.discoveryGraphName ?? null;
    return { sku: sku?.id ?? null, graphName: graph, graphOptions: sku?.discoveryGraphOptions ?? {} };
  }

  async #addresses(node: string): Promise<object[]> {
    const found = await this.#port.lookups.find({ node }, { sort: { macAddress: 1 }, limit: ADDRESSES });
    return found.map(({ macAddress, ipAddress }) =>
      ipAddress === null || ipAddress === undefined ? { macAddress } : { macAddress, ipAddress },
    );
  }

  /** Stores the error in the node's record until the node is discovered, and logs it. */
  async noteError(id: string, { code, message }: NodeError): Promise<void> {
    const error = { code, message };
    await this.#port.stored.update({ id }, { $set: { error, updatedAt: new Date().toISOString() } });
    this.#port.wrong(id, error);
  }

  start(): void {
    this.#reconciler.start();
  }

  async #look(): Promise<void> {
    const left = pages(this.#port.stored, { toDiscover: true });
    await inGroups(left, NODES_CONCURRENCY, ({ id }) => this.begin(id).catch(this.#port.failed));
  }

  async close(): Promise<void> {
    await this.#reconciler.close();
  }
}

/** Returns a UUID derived from the words. */
function uuidOf(words: string): string {
  const hex = createHash('sha256').update(words).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
