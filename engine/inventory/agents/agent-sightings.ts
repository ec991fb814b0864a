/** When each node's agent was last seen. */

import { LatestOfNodes, type NodeNote } from '../../durable/runtime/latest-of-nodes.ts';
import { now } from '../../platform/lib/clock.ts';
import type { Collection, CollectionSpec } from '../../platform/store/port.ts';

export interface AgentSighting extends NodeNote {
  address: string;
}

export const sightingSpec: CollectionSpec = { name: 'sightings', indexes: { version: 'number' } };

export class AgentSightings {
  readonly notes: LatestOfNodes<AgentSighting>;

  constructor(stored: Collection<AgentSighting>, failed: (error: unknown) => void) {
    this.notes = new LatestOfNodes('sightings', stored, failed);
  }

  note(node: string, address: string): void {
    this.notes.add({ id: node, version: now(), address });
  }

  /** @returns undefined if no agent of the node was ever seen */
  async of(node: string): Promise<{ lastSeenAt: string; address: string } | undefined> {
    const sighted = await this.notes.of(node);
    return sighted && { lastSeenAt: new Date(sighted.version).toISOString(), address: sighted.address };
  }

  /** Returns the number of nodes whose agents were seen within the given ms. */
  count(ms: number): Promise<number> {
    return this.notes.countSince(now() - ms);
  }
}
