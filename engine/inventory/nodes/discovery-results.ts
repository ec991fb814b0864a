/** Results of discoveries, as the activities of their workflows report them: a discovered node, or an error. */
import type { DiscoveryOutcome, NodeError } from '../../define/discovery-outcome.ts';
import type { Outbox } from '../../events/broker/outbox.ts';
import { uuidOf } from '../../platform/lib/derived-uuid.ts';
import type { Collection } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { publicationOf } from '../../vocabulary/event.ts';
import type { OpenSkus } from '../skus/skus.ts';
import type { StoredLookup } from './lookups.ts';
import type { StoredNode } from './stored-node.ts';

/** Limit of addresses in an event. */
const ADDRESSES = 100;

export class DiscoveryResults {
  readonly #stored: Collection<StoredNode>;
  readonly #lookups: Collection<StoredLookup>;
  readonly #skus: Pick<OpenSkus, 'classify' | 'skuOf'>;
  readonly #outbox: Pick<Outbox, 'publish'>;
  readonly #log: { error(fields: object, message: string): void };

  constructor(
    stored: Collection<StoredNode>,
    lookups: Collection<StoredLookup>,
    skus: Pick<OpenSkus, 'classify' | 'skuOf'>,
    outbox: Pick<Outbox, 'publish'>,
    log: { error(fields: object, message: string): void },
  ) {
    this.#stored = stored;
    this.#lookups = lookups;
    this.#skus = skus;
    this.#outbox = outbox;
    this.#log = log;
  }

  /** Ends a discovery: classifies the node and publishes `node.discovered`. @param operationId the same in a repetition */
  async completeDiscovery(id: string, operationId: string): Promise<DiscoveryOutcome> {
    const classified = await this.classifyNode(id);
    const node = await this.#stored.update({ id }, { $unset: { error: '' } });
    if (node === undefined) throw new NodewrightError('NOT_FOUND', `Could not find node with identifier ${id}`);
    const ipMacAddresses = await this.#addresses(id);
    await this.#outbox.publish([
      publicationOf({
        id: uuidOf(`discovered ${operationId}`),
        version: '1.0',
        type: 'node',
        action: 'discovered',
        severity: 'information',
        typeId: id,
        createdAt: new Date().toISOString(),
        nodeId: id,
        ...(typeof node.owner === 'string' && { owner: node.owner }),
        data: { ipMacAddresses, nodeId: id, nodeType: node.type },
      }),
    ]);
    return classified;
  }

  /** Assigns the SKU of a node. */
  async classifyNode(id: string): Promise<DiscoveryOutcome> {
    await this.#skus.classify(id);
    const sku = await this.#skus.skuOf(id);
    const graph = sku?.discoveryGraphName ?? null;
    return { sku: sku?.id ?? null, graphName: graph, graphOptions: sku?.discoveryGraphOptions ?? {} };
  }

  async #addresses(node: string): Promise<object[]> {
    const lookups = await this.#lookups.find({ node }, { sort: { macAddress: 1 }, limit: ADDRESSES });
    return lookups.map(({ macAddress, ipAddress }) =>
      ipAddress === null || ipAddress === undefined ? { macAddress } : { macAddress, ipAddress },
    );
  }

  /** Stores the error in the node's record until the node is discovered, and logs it. */
  async noteError(id: string, { code, message }: NodeError): Promise<void> {
    const error = { code, message };
    await this.#stored.update({ id }, { $set: { error, updatedAt: new Date().toISOString() } });
    this.#log.error({ node: id, error }, 'discovery of a node failed');
  }
}
