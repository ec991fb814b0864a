/** What a discovery comes to. */

export interface Discovered {
  /** The id of the node's SKU. */
  sku: string | null;
  /** What the SKU wants run on the node now. */
  graphName: string | null;
  graphOptions: Record<string, unknown>;
}

/** Why a node could not be discovered, as its record shows it. */
export interface NodeError {
  code: string;
  message: string;
}
