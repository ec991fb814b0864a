/**
 * Calls to a module that is opened later: the cycles among the modules of the engine. This is the list of all of them.
 * `createEngine` connects them when everything is open, before anything is started.
 */

import type { LaunchChild } from '../durable/runtime/runtime-port.ts';
import type { CatalogAdded } from '../inventory/nodes/catalogs.ts';
import type { Decommission } from '../inventory/nodes/node-requests.ts';
import type { PackStorePort } from '../inventory/packs/pack-store.ts';

export interface LateEdges {
  /** From catalogs to SKUs. */
  catalogAdded: CatalogAdded;
  /** From nodes to their actors. */
  decommission: Decommission;
  /** From packs to the library. */
  servePack: PackStorePort['serve'];
  packsChanged: PackStorePort['changed'];
  /** From the runtime to child workflows, and to broadcasts that a dead process left. */
  launchChild: LaunchChild;
  processDied(): void;
}

export class Edges {
  #edges: LateEdges | undefined;

  /** Returns a function that calls the edge. @throws Error if it is called before `connect` */
  to<K extends keyof LateEdges>(name: K): LateEdges[K] {
    const call = (...given: unknown[]): unknown => {
      if (this.#edges === undefined) throw new Error(`${name} was called before the engine was connected`);
      return (this.#edges[name] as (...given: unknown[]) => unknown)(...given);
    };
    return call as LateEdges[K];
  }

  connect(edges: LateEdges): void {
    this.#edges = edges;
  }
}
