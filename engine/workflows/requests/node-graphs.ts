/** The graphs as they run on nodes: the pack of a node's SKU may have a graph of its own under the same name. */

import type { OpenSkus } from '../../inventory/skus/skus.ts';
import type { Graph } from '../../library/types.ts';
import type { DefinitionRequests } from './definition-requests.ts';

export class NodeGraphs {
  readonly #definitions: DefinitionRequests;
  readonly #skus: Pick<OpenSkus, 'of'>;

  constructor(definitions: DefinitionRequests, skus: Pick<OpenSkus, 'of'>) {
    this.#definitions = definitions;
    this.#skus = skus;
  }

  /** Returns the graph that the name means on that node. @throws NodewrightError UNAVAILABLE until all are loaded */
  async graph(name: string, node: string | null): Promise<Graph | undefined> {
    const library = await this.#definitions.loadedLibrary();
    return library.graph(name, (await this.#skus.of(node))?.id);
  }

  /** Returns a version of a graph. @throws NodewrightError DEFINITION_GONE, UNAVAILABLE */
  async pinnedGraph(hash: string): Promise<Graph> {
    return (await this.#definitions.loadedLibrary()).pinnedGraph(hash);
  }

  /** Returns the graph that the name means on nodes of this SKU. @throws as `graph` */
  async graphOfSku(name: string, sku: string | null): Promise<Graph | undefined> {
    return (await this.#definitions.loadedLibrary()).graph(name, sku ?? undefined);
  }
}
