/**
 * Calls to a module that is opened later: the cycles among the modules of the engine. This is the list of all of them.
 * `createEngine` connects them when everything is open, before anything is started.
 */
import type { Services } from '../define/operation.ts';
import type { CatalogAdded } from '../nodes/catalogs.ts';
import type { NodesPort } from '../nodes/node-requests.ts';
import type { PollerRequestsPort } from '../nodes/poller-requests.ts';
import type { PackStorePort } from '../packs/pack-store.ts';
import type { EffectsPort } from '../runtime/effects.ts';
import type { CertificatesPort } from '../workflows/certificates.ts';

export interface LateEdges {
  /** From catalogs to SKUs. */
  catalogAdded: CatalogAdded;
  /** From nodes to their actors. */
  decommission: NodesPort['decommission'];
  /** From nodes to workflows. */
  workflowsOn: NodesPort['workflowsOn'];
  /** From pollers to the work of pollers. */
  scheduled: PollerRequestsPort['scheduled'];
  unscheduled: PollerRequestsPort['unscheduled'];
  /** From packs to the library. */
  serve: PackStorePort['serve'];
  packsChanged: PackStorePort['changed'];
  /** From certificates to workflows. */
  loadWorkflow: CertificatesPort['load'];
  /** From activities to discovery. */
  discovered: Services['discovered'];
  noteError: Services['noteError'];
  /** From the runtime to child workflows, and to broadcasts that a dead process left. */
  launchChild: EffectsPort['launchChild'];
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
