/** A BMC that was read, and its node. */
export interface ReadBmc {
  /** Its address or name. */
  host: string;
  /** Those of its machine, in one form and sorted. */
  macs: readonly string[];
  /** Config of a `redfish-obm-service`, for a node that is created or has none; absent: no node gets one. */
  access?: Record<string, unknown>;
}

export interface BmcNode {
  id: string;
  /** It was created just now. */
  isNew: boolean;
}
