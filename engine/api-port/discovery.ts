/** Discovery, as the API asks for it. */
import type { NodeRecord } from './nodes.ts';

export interface Arrived extends NodeRecord {
  /** Its discovery has still to begin: what it boots is not known yet. */
  isEarly: boolean;
}

/** What a request for a profile says of the machine that sent it. */
export interface Sent {
  macs: readonly string[];
  /** By the place of their MAC; empty where there is none. */
  ips: readonly string[];
  /** The sender's own address. */
  from: string;
}

export interface Discovery {
  /** The node that the sender would be taken for; undefined: a new one. Changes nothing. */
  known(sent: Sent): Promise<string | undefined>;
  /**
   * The node that a machine with these addresses is; made, and its discovery begun, when nobody knows it. Of many that
   * ask at once for one machine all get the same node.
   * @throws NodewrightError TOO_MANY_REQUESTS when senders have made as many nodes as they may
   */
  arrive(sent: Sent): Promise<Arrived>;
  /** Begins the discovery that a node was made for, once. What keeps it from beginning stands in the node's record. */
  begin(node: string): Promise<void>;
}
