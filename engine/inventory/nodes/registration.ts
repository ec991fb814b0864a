/**
 * Registration of unknown machines, by their MACs.
 *
 * 1. A lookup is unique, and names the node before the node is created. Of concurrent requests for a machine, one thus
 *    assigns the node id, and any of them may create the node: the first write applies.
 * 2. The node is marked for discovery from its first write on (`discovery.ts`).
 * 3. A list of MACs is a claim of the sender. The node is identified first by what users entered
 *    (lookups, identifiers), then by the MACs of registered machines, oldest first; a list with
 *    MACs of several nodes changes none of them.
 * 4. A MAC that was only seen beside others identifies no machine, unless the same sender sends it again. Otherwise,
 *    with a list of a known MAC and an unregistered one, a new machine could take the place of the known one.
 */
import { randomUUID } from 'node:crypto';
import type { LookupRecord, SentIdentity, Sighting, SouthboundQuotas } from '../../api-port/index.ts';
import type { EventPublisher } from '../../events/outbox/event-publisher.ts';
import { nodeEvent } from '../../events/outbox/pending-event.ts';
import type { PendingEvents } from '../../events/outbox/pending-events.ts';
import { KeyedQueues } from '../../platform/lib/keyed-queues.ts';
import { PerMinute, senderGroup } from '../../platform/lib/per-minute.ts';
import { type Collection, DuplicateError } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { namesOf } from '../../vocabulary/mac.ts';
import type { StoredLookup } from './lookups.ts';
import type { StoredNode } from './stored-node.ts';

/** Tries for one lookup that concurrent requests change or delete. */
const LOOKUP_TRIES = 20;
/** Nodes are recounted at most this often during a burst; nodes of other daemons are thus counted late. */
const RECOUNT_MS = 1_000;
/** The part of the nodes a minute that one address has: it does not keep the machines of others waiting. */
const SHARE = 0.6;
/** Limit of lookups that senders may create for one node; a machine has fewer interfaces. */
const LOOKUPS = 64;

const now = (): string => new Date().toISOString();

export class Registration {
  readonly #stored: Collection<StoredNode>;
  readonly #lookups: Collection<StoredLookup>;
  readonly #pending: PendingEvents<StoredNode>;
  readonly #publisher: EventPublisher;
  readonly #quota: RegistrationQuota;
  readonly #turns = new KeyedQueues();

  constructor(
    stored: Collection<StoredNode>,
    lookups: Collection<StoredLookup>,
    pending: PendingEvents<StoredNode>,
    publisher: EventPublisher,
    quota: RegistrationQuota,
  ) {
    this.#stored = stored;
    this.#lookups = lookups;
    this.#pending = pending;
    this.#publisher = publisher;
    this.#quota = quota;
  }

  /** @returns the id of the node that the sender is identified as; undefined: an unknown machine */
  async identify({ macs, from }: SentIdentity): Promise<string | undefined> {
    return (await this.#identify(inOrder(macs), from)).node;
  }

  /** @returns the MACs of the lookups that operators entered for the address */
  async macsAt(ipAddress: string): Promise<string[]> {
    const lookups = await this.#lookups.find({ ipAddress, source: 'operator' }, { limit: LOOKUPS });
    return lookups.flatMap(({ macAddress }) => macAddress ?? []);
  }

  /** @param sent with at least one MAC, in normal form. @returns the id of the node, which exists */
  async register(sent: SentIdentity): Promise<string> {
    const order = inOrder(sent.macs);
    const { node: knownNode, found } = await this.#identify(order, sent.from);
    const [first = ''] = order;
    // One at a time: concurrent requests of one new machine count as one new node.
    const node = knownNode ?? (await this.#turns.run(first, () => this.#nodeOf(first, sent)));
    await this.#createNode(node, first, sent);
    await this.#see(node, order, sent, found, knownNode === undefined ? first : undefined);
    return node;
  }

  async #identify(order: readonly string[], from: string): Promise<{ node?: string; found: StoredLookup[] }> {
    const lookups = await this.#lookups.find({ macAddress: { $in: [...order] } }, { sort: { createdAt: 1 } });
    const entered = lookups.find(({ source, node }) => source === 'operator' && node !== null)?.node;
    const node =
      entered ??
      (await this.#nodeIdentifiedBy(order)) ??
      nodeIn(lookups.find((lookup) => nodeIn(lookup) !== undefined && !lookup.beside)) ??
      nodeIn(lookups.find(({ beside, observed }) => beside && observed?.from === from));
    return { found: lookups, ...(node !== undefined && { node }) };
  }

  /** Finds a node that a user created with one of the MACs as identifier. */
  async #nodeIdentifiedBy(macs: readonly string[]): Promise<string | undefined> {
    const named = { identifiers: { $in: macs.flatMap(namesOf) } };
    return (await this.#stored.find(named, { limit: 1, sort: { createdAt: 1 } }))[0]?.id;
  }

  /** @returns the node that the MAC belongs to from now on, also when a concurrent request assigned it */
  async #nodeOf(macAddress: string, sent: SentIdentity): Promise<string> {
    for (let tries = 0; tries < LOOKUP_TRIES; tries += 1) {
      const [storedLookup] = await this.#lookups.find({ macAddress }, { limit: 1 });
      const other = storedLookup?.beside ? undefined : nodeIn(storedLookup);
      if (other !== undefined) return other;
      const refund = await this.#quota.one(sent.from);
      const node = randomUUID();
      const sighting = sightingOf(node, macAddress, sent);
      const isOwn = storedLookup ? this.#learn(storedLookup, sighting) : this.#insertLookup(macAddress, sighting);
      if (await isOwn) return node;
      refund();
    }
    throw new NodewrightError(
      'CONFLICT',
      `gave up after ${LOOKUP_TRIES} concurrent changes to the lookup of ${macAddress}; ask again`,
    );
  }

  async #insertLookup(macAddress: string, observed: Sighting, beside?: true): Promise<boolean> {
    const { node, ipAddress } = observed;
    const times = { createdAt: now(), updatedAt: now() };
    const lookup = { id: randomUUID(), node, macAddress, ipAddress, source: 'observed' as const, observed, ...times };
    try {
      await this.#lookups.insert({ ...lookup, ...(beside && { beside }) });
      return true;
    } catch (error) {
      if (error instanceof DuplicateError) return false;
      throw error;
    }
  }

  /** Identifies the node by the MAC from now on, unless `beside` is set. @returns false after a concurrent change */
  async #learn(lookup: StoredLookup, observed: Sighting, beside?: true): Promise<boolean> {
    const { id, source, node } = lookup;
    const all = { node: observed.node, ...(observed.ipAddress !== null && { ipAddress: observed.ipAddress }) };
    const changes = source === 'observed' ? all : {};
    const observedNode = lookup.observed?.node ?? { $exists: false };
    const asItWas = { id, node, 'observed.node': observedNode };
    const $set = { ...changes, observed, updatedAt: now() };
    const change = beside ? { $set: { ...$set, beside } } : { $set, $unset: { beside: '' } };
    return (await this.#lookups.update(asItWas, change)) !== undefined;
  }

  async #createNode(id: string, name: string, { switchVendor }: SentIdentity): Promise<void> {
    if ((await this.#stored.get(id)) !== undefined) return;
    const times = { createdAt: now(), updatedAt: now() };
    const node: StoredNode = {
      id,
      type: switchVendor === undefined ? 'compute' : 'switch',
      ...(switchVendor && { switchVendor }),
      name,
      identifiers: [],
      tags: [],
      sku: null,
      ...times,
      autoDiscover: true,
      toDiscover: true,
      registered: true,
      catalogs: [],
      workflows: [],
    };
    const added = await this.#pending.insert(node, [nodeEvent('added', id)]);
    if (added !== undefined) await this.#publisher.publish([added], [node]);
  }

  /** Records the sighting of each MAC, except those of other nodes. @param named MAC that is recorded already */
  async #see(
    node: string,
    order: readonly string[],
    sent: SentIdentity,
    lookups: readonly StoredLookup[],
    named?: string,
  ): Promise<void> {
    const others = order.filter((each) => each !== named);
    if (others.length === 0) return;
    let room = LOOKUPS - (await this.#lookups.count({ node, source: 'observed' }));
    const isEntered = await this.#identifiers(node);
    for (const mac of others) {
      const lookup = lookups.find(({ macAddress }) => macAddress === mac);
      const sighting = sightingOf(node, mac, sent);
      if (lookup !== undefined) await this.#noteSighting(lookup, sighting, isEntered(mac));
      else if (room > 0 && (await this.#insertLookup(mac, sighting, isEntered(mac) ? undefined : true))) room -= 1;
    }
  }

  /** Returns a predicate: whether a user entered the MAC as an identifier of the node. */
  async #identifiers(id: string): Promise<(mac: string) => boolean> {
    const { identifiers = [] } = (await this.#stored.get(id)) ?? {};
    return (mac) => namesOf(mac).some((name) => identifiers.includes(name));
  }

  /** @param isEntered a user assigned the MAC to the node: earlier claims of senders are void */
  async #noteSighting(lookup: StoredLookup, sighting: Sighting, isEntered: boolean): Promise<void> {
    const owner = nodeIn(lookup);
    const isOthers = owner !== undefined && owner !== sighting.node;
    if (isOthers && !(isEntered && lookup.source === 'observed')) return;
    const { node, ipAddress, from } = lookup.observed ?? {};
    const isSame = node === sighting.node && from === sighting.from;
    if (isSame && (sighting.ipAddress === null || sighting.ipAddress === ipAddress)) return;
    await this.#learn(lookup, sighting, isOthers ? undefined : lookup.beside);
  }
}

/** Limits the nodes that requests for profiles create. */
export class RegistrationQuota {
  readonly #limits: Pick<SouthboundQuotas, 'nodes' | 'nodesPerMinute'>;
  readonly #perMinute: PerMinute;
  readonly #each: PerMinute;
  readonly #count: () => Promise<number>;
  /** Time of the last count, and the number of nodes: as counted, plus those created by this process since. */
  #counted = { at: Number.NEGATIVE_INFINITY, nodes: 0 };

  /** @param count counts all registered nodes */
  constructor(limits: Pick<SouthboundQuotas, 'nodes' | 'nodesPerMinute'>, count: () => Promise<number>) {
    this.#limits = limits;
    this.#perMinute = new PerMinute(limits.nodesPerMinute);
    this.#each = new PerMinute(Math.ceil(SHARE * limits.nodesPerMinute));
    this.#count = count;
  }

  /** @param from address of the sender @returns a refund, for a node that was not created. @throws NodewrightError TOO_MANY_REQUESTS */
  async one(from: string): Promise<() => void> {
    const { nodes, nodesPerMinute } = this.#limits;
    const sender = senderGroup(from);
    if (this.#each.take(sender) > 0) throw tooMany('too many new machines of this address asked within a minute');
    if (this.#perMinute.take() > 0) {
      this.#each.refund(sender);
      throw tooMany(`${nodesPerMinute} new machines asked within a minute`);
    }
    const refund = () => {
      this.#perMinute.refund();
      this.#each.refund(sender);
    };
    if (performance.now() > this.#counted.at + RECOUNT_MS) {
      this.#counted = { at: performance.now(), nodes: await this.#count() };
    }
    const counted = this.#counted;
    if (counted.nodes < nodes) {
      counted.nodes += 1;
      return () => {
        counted.nodes -= 1;
        refund();
      };
    }
    refund();
    throw tooMany(`there are ${nodes} nodes that no user changed, as many as southboundQuotas.nodes allows`);
  }
}

const tooMany = (problem: string) =>
  new NodewrightError('TOO_MANY_REQUESTS', `${problem}; ask again later, or have a user create the node`);

const nodeIn = (lookup: LookupRecord | undefined): string | undefined => lookup?.node ?? lookup?.observed?.node;

/** Sorts the MACs, so that concurrent requests of one machine meet at its first MAC. */
const inOrder = (macs: readonly string[]): string[] => [...new Set(macs)].sort();

const sightingOf = (node: string, mac: string, { macs, ips, from }: SentIdentity): Sighting => ({
  node,
  ipAddress: ips[macs.lastIndexOf(mac)] || null,
  from,
  at: now(),
});
