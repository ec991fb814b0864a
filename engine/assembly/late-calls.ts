/**
 * Calls to a module that is opened later: the cycles among the modules of the engine. This is the list of all of them.
 * `createEngine` connects them when everything is open, before anything is started.
 */

import type { LaunchChild } from '../durable/runtime/runtime-port.ts';
import type { NoteSecret } from '../hardware/obm/note-secret.ts';
import type { HoldScope } from '../inventory/holds/hold-requests.ts';
import type { CatalogAdded } from '../inventory/nodes/catalogs.ts';
import type { Decommission } from '../inventory/nodes/node-requests.ts';
import type { PackStorePort } from '../inventory/packs/pack-store.ts';
import type { MarkOwned } from '../inventory/teams/owner-changes.ts';

export interface LateCalls {
  /** From catalogs to SKUs. */
  catalogAdded: CatalogAdded;
  /** From SKUs to baselines: the nodes that were classified. */
  classified(nodes: readonly string[]): Promise<void>;
  /** From nodes to their actors. */
  decommission: Decommission;
  /** From holds to the actors of their nodes. */
  markHeld: HoldScope['mark'];
  /** From owners of nodes to the actors. */
  markOwned: MarkOwned;
  /** From packs to the library. */
  servePack: PackStorePort['serve'];
  packsChanged: PackStorePort['changed'];
  /** From the drivers of BMCs to the images that they insert. */
  bootImage(node: string, workflow: string, note: NoteSecret): Promise<string>;
  /** From the runtime to child workflows, and to broadcasts that a dead process left. */
  launchChild: LaunchChild;
  processDied(): void;
  /** From the runtime to the dispatcher of rollouts. */
  rolloutChanged(): void;
}

export class LateLinks {
  #calls: LateCalls | undefined;

  /** Returns a function that makes the call. @throws Error if it is called before `connect` */
  to<K extends keyof LateCalls>(name: K): LateCalls[K] {
    const call = (...given: unknown[]): unknown => {
      if (this.#calls === undefined) throw new Error(`${name} was called before the engine was connected`);
      return (this.#calls[name] as (...given: unknown[]) => unknown)(...given);
    };
    return call as LateCalls[K];
  }

  connect(calls: LateCalls): void {
    this.#calls = calls;
  }
}
