/** The port of the API to the identification of southbound senders. */
import type { KnownBy } from '../vocabulary/known-by.ts';
import type { SentIdentity } from './discovery.ts';
import type { FileContent } from './files.ts';

export type { CatalogSender, KnownBy } from '../vocabulary/known-by.ts';

export interface SouthboundSender {
  address: string;
  /** The key that it sent, and the node that the key belongs to; null: none. */
  key: { value: string; node: string } | null;
}

/** The images of the microkernel that BMCs fetch, each with the settings and the key of one node. */
export interface BootImageRequests {
  /** @param token of the URL @returns undefined unless it is that of an active workflow, which boots the node from the image */
  content(token: string): Promise<FileContent | undefined>;
}

export interface SouthboundRequests {
  /**
   * @param isOpen the request needs no key, whatever the configuration
   * @throws NodewrightError FORBIDDEN for a wrong key, or for a missing one if keys are required
   */
  sender(address: string, key: string, isOpen: boolean): Promise<SouthboundSender>;
  /**
   * Checks that the sender may act for the node.
   * @throws NodewrightError FORBIDDEN if its key or its address belongs to another node
   */
  admit(sender: SouthboundSender, node: string): Promise<KnownBy>;
  /**
   * The same for a request for a profile.
   * @param knownNode the node that the sender is identified as; undefined: a new one
   */
  admitRegistration(sender: SouthboundSender, knownNode: () => Promise<string | undefined>): Promise<void>;
  /**
   * Returns the key for the boot that a workflow wants of a node.
   * @returns null: the sender may not have it, and the node works without a key
   * @throws NodewrightError FORBIDDEN in the same case, if keys are required
   */
  keyFor(node: string, workflow: string, sent: SentIdentity): Promise<string | null>;
  /**
   * Called before a request that writes.
   * @throws NodewrightError TOO_MANY_REQUESTS, UNAVAILABLE if there is no capacity
   */
  needRoom(): Promise<void>;
}
