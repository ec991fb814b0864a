/** The port of the API to discovery. */
import type { SwitchVendor } from '../vocabulary/switch-vendors.ts';
import type { NodeRecord } from './nodes.ts';

export interface RegisteredNode extends NodeRecord {
  /** Its discovery has not started: what it boots is not known yet. */
  isEarly: boolean;
}

/** The data in a request for a profile about the machine that sent it. */
export interface SentIdentity {
  macs: readonly string[];
  /** By the index of their MAC; empty if the MAC has none. */
  ips: readonly string[];
  /** The sender's address. */
  from: string;
  /** It is a switch of this vendor; absent: a server. */
  switchVendor?: SwitchVendor;
}

export interface Discovery {
  /** Returns the MACs that operators entered for this address. */
  macsAt(address: string): Promise<string[]>;
  /** Returns the node that the sender would be identified as; undefined: a new one. Read-only. */
  identify(sent: SentIdentity): Promise<string | undefined>;
  /**
   * Returns the node of the machine with these addresses. An unknown machine is registered and its discovery starts.
   * Concurrent requests for one machine all get the same node.
   * @throws NodewrightError TOO_MANY_REQUESTS if senders have registered as many nodes as allowed
   */
  register(sent: SentIdentity): Promise<RegisteredNode>;
  /** Starts the discovery that a node was registered for, once. The node's record shows an error that prevents it. */
  begin(node: string): Promise<void>;
  /** Starts the discovery of all nodes that were registered for one, in the background. */
  soon(): void;
}
