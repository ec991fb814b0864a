/**
 * Holds: reasons of users to leave a node alone, as documents of their own.
 *
 * 1. A hold is answered when every later launch, of any process, is refused: it is stored first, then it marks the node's
 *    actor, which all launches claim (`durable/actors/node.ts`). A launch that is admitted names the mark before which it
 *    read the holds, so it has read each that was answered before. A launch that took the node before the mark has begun
 *    its workflow when the hold is answered (`mark-held.ts`).
 * 2. A hold ends at its `until` for every reader at the same moment. Its document and its event follow within seconds, or
 *    with the next list.
 * 3. A hold and its events are one write, as of any document (`events/outbox/pending-events.ts`).
 *
 * If the process dies
 * - after the hold is stored, before the actor is marked: it was not answered, and the next pass marks the actor;
 * - after that, before its event is published: the sweep publishes it.
 * The pass also marks actors again whose row Redis has lost.
 */
import { randomUUID } from 'node:crypto';
import type { HoldChange, HoldRecord, Holds, NewHold } from '../../api-port/holds.ts';
import type { Page, PagedList } from '../../api-port/page.ts';
import type { EventPublisher } from '../../events/outbox/event-publisher.ts';
import type { PendingEvents } from '../../events/outbox/pending-events.ts';
import { isoOf, now } from '../../platform/lib/clock.ts';
import { byIds, groups, pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { invalidInput, NodewrightError } from '../../vocabulary/errors.ts';
import type { HoldBlock, HoldKind } from '../../vocabulary/states.ts';
import { holdEvent } from './hold-events.ts';
import { blocksAny, holdingAt, holdRecordOf, type StoredHold } from './stored-hold.ts';

export interface HoldScope {
  stored: Collection<StoredHold>;
  pending: PendingEvents<StoredHold>;
  publisher: Pick<EventPublisher, 'publish'>;
  nodes: Pick<Collection<{ id: string; type: string }>, 'find'>;
  /** Takes the change back, and throws NOT_FOUND, if the node was removed in the meantime. */
  unlessRemoved(node: string, takeBack: () => Promise<void>): Promise<void>;
  /** Has every later launch on the node read its holds. */
  mark(node: string, mark: string): Promise<void>;
}

/** More would be a mistake of a program. */
const HOLDS_PER_NODE = 100;
const ENDED_PER_GROUP = 50;
/** The clocks of two processes differ by less: none extends a hold that another one removes. */
const CLOCKS_MS = 1_000;

const time = (): string => new Date(now()).toISOString();

export class HoldRequests implements Holds {
  readonly #port: HoldScope;

  constructor(port: HoldScope) {
    this.#port = port;
  }

  async list({ filter, ...page }: Page): Promise<PagedList<HoldRecord>> {
    const { stored } = this.#port;
    const present = { $and: [filter, holdingAt(time())] };
    const items = await stored.find(present, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items: items.map(holdRecordOf), total: await stored.count(present) };
  }

  async get(node: string, id: string): Promise<HoldRecord | undefined> {
    const [hold] = await this.#port.stored.find({ id, node, ...holdingAt(time()) }, { limit: 1 });
    return hold && holdRecordOf(hold);
  }

  /** @param id of a hold that is added once, however often this is called; absent: a new one @throws as `Holds` */
  async add(node: string, hold: NewHold, by?: string, id: string = randomUUID()): Promise<HoldRecord> {
    const { stored, pending, publisher, mark } = this.#port;
    const { kind, reason, blocks = ['launch'] } = hold;
    const until = laterTime(hold.until ?? null);
    if ((await stored.count({ node })) >= HOLDS_PER_NODE)
      throw new NodewrightError('CONFLICT', `the node ${node} has ${HOLDS_PER_NODE} holds; remove some first`);
    const at = time();
    const record = { id, node, kind, reason, until, blocks, createdAt: at, updatedAt: at };
    const added: HoldRecord = { ...record, createdBy: by ?? null };
    const type = (await this.#typesOf([node])).get(node) ?? '';
    const unpublished = await pending.insert(added, [holdEvent('added', added, type, by ?? null)]);
    await this.#port.unlessRemoved(node, () => this.forget(node));
    await mark(node, added.id);
    if (unpublished !== undefined) await publisher.publish([unpublished]);
    return added;
  }

  async change(node: string, id: string, change: HoldChange): Promise<HoldRecord | undefined> {
    const until = change.until === undefined ? {} : { until: laterTime(change.until) };
    const $set = { ...change, ...until, updatedAt: time() };
    const changed = await this.#port.stored.update({ id, node, ...holdingAt(time()) }, { $set });
    return changed && holdRecordOf(changed);
  }

  async remove(node: string, id: string, by?: string): Promise<boolean> {
    const [hold] = await this.#port.stored.find({ id, node }, { limit: 1 });
    return hold !== undefined && (await this.#removeAll([hold], by ?? null)) > 0;
  }

  /** Deletes the holds of a node that is deleted; its own event says so. */
  async forget(node: string): Promise<void> {
    await this.#port.stored.remove({ node });
  }

  /** Returns the holds of a node that hold now, and whether there may be others soon that are stored already. */
  async on(node: string): Promise<{ holds: HoldRecord[]; isEmpty: boolean }> {
    const at = time();
    const all = await this.#port.stored.find({ node }, { sort: { createdAt: 1 }, limit: HOLDS_PER_NODE * 2 });
    const holds = all.filter(({ until }) => until === null || until > at).map(holdRecordOf);
    return { holds, isEmpty: all.length === 0 };
  }

  /** Returns what the holds of the node block now. */
  async blocksOn(node: string): Promise<ReadonlySet<HoldBlock>> {
    return new Set((await this.#of([node])).flatMap(({ blocks }) => blocks));
  }

  /** Returns those of the nodes whose alerts are not sent now. */
  async quietNodes(nodes: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set((await this.#of(nodes)).filter((hold) => blocksAny(hold, ['alert'])).map(({ node }) => node));
  }

  /** Returns the kinds of holds that each of the nodes has now, by node id. */
  async kindsOn(nodes: readonly string[]): Promise<Map<string, HoldKind[]>> {
    const kinds = new Map<string, HoldKind[]>();
    for (const { node, kind } of await this.#of(nodes))
      kinds.set(node, [...new Set([...(kinds.get(node) ?? []), kind])].sort());
    return kinds;
  }

  async #of(nodes: readonly string[]): Promise<StoredHold[]> {
    const at = time();
    const present: StoredHold[] = [];
    const filter = { node: { $in: [...nodes] } };
    for await (const hold of pages(this.#port.stored, filter))
      if (hold.until === null || hold.until > at) present.push(hold);
    return present;
  }

  /** Returns the nodes that have a hold now. @param kinds any of these; absent: of all */
  async heldNodes(kinds?: readonly HoldKind[]): Promise<string[]> {
    const at = time();
    const nodes = new Set<string>();
    for await (const { node, until } of pages(
      this.#port.stored,
      kinds === undefined ? {} : { kind: { $in: [...kinds] } },
    ))
      if (until === null || until > at) nodes.add(node);
    return [...nodes];
  }

  /** Removes the holds that have ended by themselves, with their events. */
  async removeEnded(goesOn: () => Promise<boolean>): Promise<void> {
    for await (const group of groups(
      pages(this.#port.stored, { until: { $lte: isoOf(now() - CLOCKS_MS) } }),
      ENDED_PER_GROUP,
    )) {
      if (!(await goesOn())) return;
      await this.#removeAll(group, null);
    }
  }

  /** Each hold is removed with its own event, once. @returns the number of those that this call removed */
  async #removeAll(holds: readonly StoredHold[], by: string | null): Promise<number> {
    const { pending, publisher } = this.#port;
    const types = await this.#typesOf(holds.map(({ node }) => node));
    let removed = 0;
    for (const hold of holds) {
      const event = holdEvent('removed', hold, types.get(hold.node) ?? '', by);
      const { count, unpublished } = await pending.remove([hold], () => [event], hold.id);
      if (count > 0 && unpublished !== undefined) await publisher.publish([unpublished]);
      removed += count;
    }
    return removed;
  }

  async #typesOf(nodes: readonly string[]): Promise<Map<string, string>> {
    return new Map((await byIds(this.#port.nodes, [...new Set(nodes)])).map(({ id, type }) => [id, type]));
  }
}

/** @returns the time as it is stored @throws NodewrightError INVALID when it is over */
function laterTime(until: string | null): string | null {
  if (until === null) return null;
  const at = Date.parse(until);
  if (at <= now()) throw invalidInput('until', `is ${until}, which is over; expected a later time, or null`);
  return new Date(at).toISOString();
}
