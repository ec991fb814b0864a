/**
 * Access control for southbound requests: identifies the node of a key, rejects addresses of other nodes, and gives out
 * the keys of boots.
 *
 * 1. An address belongs to a node if a user entered it in a lookup or as the host of an obm. Observations from
 *    requests for profiles are used only if users entered nothing, for the sender's own address, and if a
 *    single node was seen there: many nodes behind one proxy share an address, which belongs to none.
 *    Addresses named in a request are never used.
 * 2. This machine's own loopback address belongs to no node: proxies, tunnels and operators send from there.
 * 3. A key is given out with the boot image of a workflow, and to one address: the one that a user
 *    entered for a MAC of the request, otherwise the first that asked. Any other sender is rejected,
 *    which is logged and published as an event.
 * 4. Rejections are reported at most a few times per minute, however often a sender tries.
 */
import type { SentIdentity, SouthboundRequests, SouthboundSender } from '../../api-port/index.ts';
import { PerMinute } from '../../platform/lib/per-minute.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { KnownBy } from '../../vocabulary/known-by.ts';
import type { SouthboundRoom } from './event-room.ts';
import type { SouthboundKeys } from './southbound-keys.ts';
import type { Rejections } from './southbound-rejections.ts';

/** The owners of addresses: the lookups and the obms of nodes. */
export interface AccessPort {
  lookups: {
    /** Returns users' lookups of an address. */
    enteredAt(address: string): Promise<{ node: string | null }[]>;
    /** Returns the nodes that were identified as the sender of requests from an address. */
    seenAt(address: string): Promise<Set<string>>;
    /** Returns the addresses that users entered for MACs. */
    enteredMacs(macs: readonly string[]): Promise<string[]>;
  };
  obms: {
    /** Returns the obms whose BMCs have an address. */
    withHost(address: string): Promise<{ nodeId: string }[]>;
  };
}

const REPORTS = 30;
/** Per node and address. */
const REPORTS_EACH = 1;

export class SouthboundAccess implements SouthboundRequests {
  readonly #mode: 'accept' | 'require';
  readonly #keys: SouthboundKeys;
  readonly #port: AccessPort;
  readonly #room: Pick<SouthboundRoom, 'need'>;
  readonly #rejections: Pick<Rejections, 'report'>;
  readonly #reports = new PerMinute(REPORTS);
  readonly #each = new PerMinute(REPORTS_EACH);

  constructor(
    mode: 'accept' | 'require',
    keys: SouthboundKeys,
    port: AccessPort,
    room: Pick<SouthboundRoom, 'need'>,
    rejections: Pick<Rejections, 'report'>,
  ) {
    this.#mode = mode;
    this.#keys = keys;
    this.#port = port;
    this.#room = room;
    this.#rejections = rejections;
  }

  async sender(address: string, value: string, isOpen: boolean): Promise<SouthboundSender> {
    if (value === '') {
      if (this.#mode === 'require' && !isOpen) throw forbiddenError(MISSING);
      return { address, key: null };
    }
    const node = await this.#keys.nodeOf(value);
    if (node === undefined) throw this.#reject('', address, WRONG);
    return { address, key: { value, node } };
  }

  async admit(sender: SouthboundSender, node: string): Promise<KnownBy> {
    const { address, key } = sender;
    const isOwn = await this.#isEntered(sender, async () => node);
    if (key !== null) return 'key';
    if (isOwn) return 'address';
    if (isThisMachine(address)) return 'nothing';
    const nodeIds = await this.#port.lookups.seenAt(address);
    if (nodeIds.size === 1 && !nodeIds.has(node)) throw this.#reject(node, address, othersSeen(address));
    return (await this.#keys.addressOf(node)) === address ? 'address' : 'nothing';
  }

  async admitRegistration(sender: SouthboundSender, knownNode: () => Promise<string | undefined>): Promise<void> {
    await this.#isEntered(sender, knownNode);
  }

  /** @returns whether users entered the address for the node */
  async #isEntered({ address, key }: SouthboundSender, of: () => Promise<string | undefined>): Promise<boolean> {
    if (key !== null && key.node !== (await of())) throw this.#reject(key.node, address, OTHERS_KEY);
    if (isThisMachine(address)) return false;
    const owners = await this.#ownersOf(address);
    if (owners.size === 0) return false;
    const node = await of();
    if (node === undefined || !owners.has(node)) throw this.#reject(node ?? '', address, others(address));
    return true;
  }

  /** Returns the nodes that the address belongs to, as users entered it. */
  async #ownersOf(address: string): Promise<Set<string>> {
    const { lookups, obms } = this.#port;
    const [entered, hosts] = await Promise.all([lookups.enteredAt(address), obms.withHost(address)]);
    return new Set([...entered.flatMap(({ node }) => node ?? []), ...hosts.map(({ nodeId }) => nodeId)]);
  }

  async keyFor(node: string, workflow: string, { macs, from }: SentIdentity): Promise<string | null> {
    const keys = this.#keys;
    const addresses = await this.#port.lookups.enteredMacs(macs);
    const isEntered = addresses.length > 0;
    const bound = isEntered ? null : await keys.addressOf(node);
    if (isEntered ? addresses.includes(from) : bound === null || bound === from) {
      const now = await keys.begin(node, workflow, isEntered || isThisMachine(from) ? null : from);
      // If two first requests are concurrent, one receives the key.
      if (isEntered || now === null || now === from) return keys.keyOf(node, workflow);
    }
    const rejection = this.#reject(node, from, isEntered ? NOT_ENTERED : NOT_FIRST);
    if (this.#mode === 'require') throw rejection;
    return null;
  }

  needRoom(): Promise<void> {
    return this.#room.need();
  }

  #reject(node: string, address: string, reason: string): NodewrightError {
    if (this.#each.take(`${node} ${address}`) === 0 && this.#reports.take() === 0) {
      this.#rejections.report({ node, address, reason });
    }
    return forbiddenError(reason);
  }
}

const isThisMachine = (address: string): boolean => address === '127.0.0.1' || address === '::1';

/** The message is fixed by the interface; the reason is a violation. */
const forbiddenError = (reason: string) =>
  new NodewrightError('FORBIDDEN', 'Forbidden', { violations: [{ path: 'x-nodewright-key', message: reason }] });

const MISSING = 'is missing: keys are required here; send the one that the boot of the node gave out (nodewright.key=)';
const WRONG = 'is not a key of a node, or is older than the last two boots of its node';
const OTHERS_KEY = 'is the key of another node';
const others = (address: string) =>
  `is irrelevant: ${address} is the address of another node by a lookup or an obm; correct that if it is wrong`;
const othersSeen = (address: string) =>
  `is missing: another node boots from ${address}; send the key of the node, or enter a lookup for the address`;
const NOT_ENTERED = 'is not given out: a lookup has another address for the MAC; correct it if it is wrong';
const NOT_FIRST =
  'is not given out: another address received the key of this node before; enter a lookup with the MAC and its address';
