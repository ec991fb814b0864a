/** Reports rejected southbound requests: in the log, and as events for listeners that watch the node. */
import { randomUUID } from 'node:crypto';
import type { Outbox } from '../../events/broker/outbox.ts';
import { type Publication, publicationOf } from '../../vocabulary/event.ts';

/** `node`: empty if it is not known. */
export interface RejectedRequest {
  node: string;
  address: string;
  reason: string;
}

export class Rejections {
  readonly #outbox: Pick<Outbox, 'publish'>;
  readonly #log: { warn(fields: object, message: string): void };

  constructor(outbox: Pick<Outbox, 'publish'>, log: { warn(fields: object, message: string): void }) {
    this.#outbox = outbox;
    this.#log = log;
  }

  report(rejected: RejectedRequest): void {
    this.#log.warn(rejected, 'a southbound sender was rejected');
    const event = rejected.node === '' ? [] : [eventOf(rejected)];
    this.#outbox
      .publish(event)
      .catch((err) => this.#log.warn({ err }, 'failed to publish the event of a rejected southbound request'));
  }
}

/** Builds the event for listeners that watch the node; the reason contains no secret. */
const eventOf = ({ node, address, reason }: RejectedRequest): Publication =>
  publicationOf({
    id: randomUUID(),
    version: '1.0',
    type: 'node',
    action: 'southbound.rejected',
    severity: 'warning',
    typeId: node,
    nodeId: node,
    createdAt: new Date().toISOString(),
    data: { nodeId: node, address, reason },
  });
