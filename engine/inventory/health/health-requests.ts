/**
 * The health of nodes: each source reports on its own, and the worst report counts.
 *
 * 1. A report is in the document of its node, and changes by compare-and-set. If the state of the node changes with it, that is
 *    one write with the event (`events/outbox/pending-events.ts`).
 * 2. A report that changes nothing is not written. A source may therefore repeat it, which it does after a crash: it reports
 *    before it notes that it has read the log, received the alert, or classified the node.
 * 3. A report ends at its `until` for a reader of its node immediately, and for lists, with the event, within seconds.
 */
import type { Healths, NewHealthReport, NodeHealth } from '../../api-port/node-health.ts';
import type { EventPublisher } from '../../events/outbox/event-publisher.ts';
import { quietIf } from '../../events/outbox/pending-event.ts';
import type { PendingEvents } from '../../events/outbox/pending-events.ts';
import { batch } from '../../platform/lib/batch.ts';
import { isoOf, now } from '../../platform/lib/clock.ts';
import { groupBy } from '../../platform/lib/group-by.ts';
import { togetherOrAlone } from '../../platform/lib/together-or-alone.ts';
import { byIds, groups, pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { HealthState } from '../../vocabulary/states.ts';
import { healthEvent } from './health-events.ts';
import { healthAfter, type ReportChange } from './report-changes.ts';
import { type ExaminedNode, healthOf, isBuiltIn, type StoredHealth, shownHealth } from './stored-health.ts';

export interface HealthScope {
  stored: Collection<ExaminedNode>;
  pending: Pick<PendingEvents<ExaminedNode>, 'changeEach'>;
  publisher: Pick<EventPublisher, 'publish'>;
}

export interface NodeReports {
  node: string;
  changes: readonly ReportChange[];
  /** A hold keeps what is reported from hooks and the broker; so also the event of a state that changes only by it. */
  isQuiet?: boolean;
}

/** Sources of users; more would be a mistake of a program. */
const SOURCES_PER_NODE = 50;
/** Nodes whose reports are written together. */
const NODES_PER_WRITE = 100;
/** Each attempt after the first is caused by a concurrent report. */
const ATTEMPTS = 20;

interface HealthMove {
  node: ExaminedNode;
  before: StoredHealth;
  after: StoredHealth;
  isQuiet: boolean;
}

export class HealthRequests implements Healths {
  readonly #port: HealthScope;
  /** Resolves when the reports are stored. Reports on nodes that do not exist are ignored. */
  readonly report: (reports: NodeReports) => Promise<NodeReports>;

  constructor(port: HealthScope) {
    this.#port = port;
    this.report = batch(async (reports: NodeReports[]) => {
      const errors = await togetherOrAlone(
        groupBy(reports, ({ node }) => node),
        (some) => this.#apply(new Map(some)),
      );
      const byNode = new Map([...errors].map(([[node], error]) => [node, error as Error]));
      return reports.map((one) => byNode.get(one.node) ?? one);
    }, NODES_PER_WRITE);
  }

  async of(id: string): Promise<NodeHealth | undefined> {
    const node = await this.#port.stored.get(id);
    if (node === undefined) return undefined;
    const after = healthAfter(healthOf(node), [], new Date(now()).toISOString());
    if (after !== undefined) await this.report({ node: id, changes: [] });
    return shownHealth(after ?? healthOf(node));
  }

  async put(
    id: string,
    source: string,
    { state, message = '', ttlSec }: NewHealthReport,
  ): Promise<NodeHealth | undefined> {
    if (isBuiltIn(source))
      throw new NodewrightError(
        'CONFLICT',
        `the daemon itself reports as ${source}; choose another name for the source`,
      );
    const node = await this.#port.stored.get(id);
    if (node === undefined) return undefined;
    const sources = new Set(
      healthOf(node).reports.flatMap((report) => (isBuiltIn(report.source) ? [] : report.source)),
    );
    if (!sources.has(source) && sources.size >= SOURCES_PER_NODE)
      throw new NodewrightError(
        'CONFLICT',
        `the node ${id} has reports of ${SOURCES_PER_NODE} sources; let some end first`,
      );
    const until = ttlSec === undefined ? null : isoOf(now() + ttlSec * 1_000);
    await this.report({ node: id, changes: [{ source, key: '', report: { state, message, until } }] });
    return this.of(id);
  }

  /** Returns the state of a node; of one that does not exist, `unknown`. */
  async stateOf(id: string): Promise<HealthState> {
    return (await this.of(id))?.state ?? 'unknown';
  }

  /** Returns the number of nodes in a state. */
  count(state: HealthState): Promise<number> {
    const stored = state === 'unknown' ? { $in: [state, null] } : state;
    return this.#port.stored.count({ 'healthRecord.state': stored });
  }

  /** Ends the reports whose time is over. */
  async removeEnded(goesOn: () => Promise<boolean>): Promise<void> {
    const ended = pages(this.#port.stored, { 'healthRecord.until': { $lte: new Date(now()).toISOString() } });
    for await (const group of groups(ended, NODES_PER_WRITE)) {
      if (!(await goesOn())) return;
      await this.#apply(new Map(group.map(({ id }) => [id, []])));
    }
  }

  async #apply(reports: ReadonlyMap<string, readonly NodeReports[]>): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const at = new Date(now()).toISOString();
      const moves = (await byIds(this.#port.stored, [...reports.keys()])).flatMap((node): HealthMove[] => {
        const before = healthOf(node);
        const each = (reports.get(node.id) ?? []).filter(({ changes }) => changes.length > 0);
        const after = healthAfter(
          before,
          each.flatMap(({ changes }) => changes),
          at,
        );
        const isQuiet = each.length > 0 && each.every((one) => one.isQuiet);
        return after === undefined ? [] : [{ node, before, after, isQuiet }];
      });
      if (moves.length === 0 || (await this.#save(moves, at))) return;
    }
    throw new NodewrightError('CONFLICT', `gave up after ${ATTEMPTS} concurrent reports on the health of one node`);
  }

  /** @returns whether none of the nodes got another report in the meantime */
  async #save(moves: readonly HealthMove[], at: string): Promise<boolean> {
    const { stored, pending, publisher } = this.#port;
    const loud = moves.filter(({ before, after }) => before.state !== after.state);
    const silent = moves.filter(({ before, after }) => before.state === after.state);
    const unpublished = await pending.changeEach(loud.map((move) => ({ ...updateOf(move), event: eventOf(move, at) })));
    await publisher.publish(unpublished);
    const written = silent.length === 0 ? 0 : await stored.updateEach(silent.map(updateOf));
    return unpublished.length === loud.length && written === silent.length;
  }
}

const eventOf = ({ node, before, after, isQuiet }: HealthMove, at: string) =>
  quietIf(isQuiet, healthEvent(node, before.state, after, at));

const updateOf = ({ node, before, after }: HealthMove) => ({
  id: node.id,
  filter: { 'healthRecord.version': before.version === 0 ? null : before.version },
  update: { $set: { healthRecord: { ...after, version: before.version + 1 } } },
});
