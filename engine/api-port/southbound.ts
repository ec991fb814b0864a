/** The senders of southbound requests, as the API lets them in. */
import type { KnownBy } from '../define/known-by.ts';
import type { Sent } from './discovery.ts';

export type { CatalogSender, KnownBy } from '../define/known-by.ts';

export interface Sender {
  address: string;
  /** The key that it sent, and the node whose key that is; null: it sent none. */
  key: { value: string; node: string } | null;
}

export interface Southbound {
  /**
   * @param isOpen the request needs no key, whatever the configuration says
   * @throws NodewrightError FORBIDDEN for a wrong key, and for none where keys are required
   */
  sender(address: string, key: string, isOpen: boolean): Promise<Sender>;
  /**
   * Whether the sender may speak for the node.
   * @throws NodewrightError FORBIDDEN when its key, or its address, is another's
   */
  admit(sender: Sender, node: string): Promise<KnownBy>;
  /** The same for a request for a profile. @param known the node that the sender would be taken for; undefined: a new one */
  admitArrival(sender: Sender, known: () => Promise<string | undefined>): Promise<void>;
  /**
   * The key for the boot that a workflow wants of a node.
   * @returns null: the sender may not have it, and the node does without
   * @throws NodewrightError FORBIDDEN the same, where keys are required
   */
  keyFor(node: string, workflow: string, sent: Sent): Promise<string | null>;
  /** Before a request that writes. @throws NodewrightError TOO_MANY_REQUESTS, UNAVAILABLE while there is no room for more */
  needRoom(): Promise<void>;
}
