/** The data of nodes that workflows read. The modules of nodes implement it together. */
import type { NodeRecord } from '../../api-port/nodes.ts';

export interface InventoryPort {
  nodes: {
    /** Returns the id of the node that an identifier means. */
    idOf(identifier: string): Promise<string | undefined>;
    find(id: string): Promise<NodeRecord | undefined>;
  };
  catalogs: {
    /** Returns the data of the node's latest catalog of a source. */
    latestData(node: string, source: string): Promise<unknown>;
  };
  obms: {
    /** Returns the services of the node's obms. */
    services(node: string): Promise<string[]>;
  };
}
