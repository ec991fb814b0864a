/** Discovery, as the API asks for it. */
import type { NodeRecord } from './nodes.ts';

export interface Arrived extends NodeRecord {
  /** Its discovery has still to begin: what it boots is not known yet. */
  isEarly: boolean;
}

export interface Discovery {
  /**
   * The node that a machine with these addresses is; made, and its discovery begun, when nobody knows it. Of many that
   * ask at once for one machine all get the same node.
   * @param ips by the place of their MAC; empty where there is none
   */
  arrive(macs: readonly string[], ips: readonly string[]): Promise<Arrived>;
  /** Begins the discovery that a node was made for, once. What keeps it from beginning stands in the node's record. */
  begin(node: string): Promise<void>;
}
