/**
 * The graph that discovers a node. A switch that asked for its profile is discovered by RackHD's graphs where an import of a checkout has
 * brought them: the profile that it then got runs their scripts, and no other commands.
 */
import type { StoredNode } from '../../inventory/nodes/stored-node.ts';
import { traitsOfSwitch } from '../../vocabulary/switch-vendors.ts';

export interface DiscoveryGraph {
  name: string;
  options: Record<string, unknown>;
}

const ZERO_TOUCH = 'Graph.Switch.ZeroTouch';
/** Runs the graph of the vendor, then that of the SKU. */
const RACKHD_SWITCHES = 'Graph.SKU.Switch.Discovery.Active';

/** @param servers name of the graph for servers @param has whether the library has a graph */
export function discoveryGraphOf(
  { switchVendor }: Pick<StoredNode, 'switchVendor'>,
  servers: string,
  has: (name: string) => boolean,
): DiscoveryGraph {
  if (switchVendor === undefined) return { name: servers, options: {} };
  const graphName = traitsOfSwitch(switchVendor).rackhd?.graph;
  if (graphName === undefined || !has(graphName) || !has(RACKHD_SWITCHES)) return { name: ZERO_TOUCH, options: {} };
  return { name: RACKHD_SWITCHES, options: { 'vendor-discovery-graph': { graphName } } };
}
