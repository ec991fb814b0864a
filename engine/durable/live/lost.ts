/**
 * Ends what Redis has lost for good. A workflow that moved has failed: nothing is known of its last steps. Each part is
 * harmless to repeat, also by several processes.
 */
import { randomUUID } from 'node:crypto';
import { now } from '../../platform/lib/clock.ts';
import { groups, pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { isActive } from '../../vocabulary/states.ts';
import { receiversOf } from '../step/callbacks.ts';
import { contextOf, type NodeRow, newNodeRow, nodeStep } from '../step/node.ts';
import type { StepRow, WorkflowRow } from '../step/row.ts';
import { lose } from '../step/suspend.ts';
import { missingIn } from './missing.ts';
import type { RecordedRow, RowCache } from './port.ts';
import type { RedisRows } from './redis-rows.ts';

/** Rows of one kind, wherever they are. */
export interface HealedRows<R extends StepRow> {
  rows: RedisRows<R>;
  record: Collection<RecordedRow<R>>;
  /** Returns the rows that this process has in memory. */
  cache(): RowCache<R>;
}

/** More steps than a row took since it was recorded: a process may still take one on what was lost. */
const LEAP = 1_000_000;
const ROWS_PER_GROUP = 200;

export class LostRows {
  readonly #workflows: Pick<HealedRows<WorkflowRow>, 'rows' | 'record'>;
  readonly #nodes: Pick<HealedRows<NodeRow>, 'rows' | 'record'>;

  constructor(workflows: HealedRows<WorkflowRow>, nodes: HealedRows<NodeRow>) {
    this.#workflows = workflows;
    this.#nodes = nodes;
  }

  /** @returns whether any row was lost; then others may be without their nodes (`holdNodes`) */
  async end(): Promise<boolean> {
    const failed = await this.#fail();
    const released = await this.#release();
    return failed + released > 0;
  }

  async #fail(): Promise<number> {
    let count = 0;
    const { rows, record } = this.#workflows;
    for await (const group of groups(pages(record, { phase: 'moving' }), ROWS_PER_GROUP)) {
      const lost = (await missingIn(rows, record, group)).map(withoutPhase);
      const [active, ended] = partition(lost, ({ status }) => isActive(status));
      await record.put(ended.map((row) => ({ ...row, version: row.version + 1, phase: 'resting' })));
      const env = { now: now(), uuid: randomUUID };
      const failed = active.map((row) => lose({ ...row, version: row.version + LEAP }, env));
      await rows.write(
        'restore',
        failed.map((row) => ({ row })),
      );
      count += failed.length;
    }
    return count;
  }

  /** An old document does not say who holds a node; the workflows do. */
  async #release(): Promise<number> {
    let count = 0;
    const { rows, record } = this.#nodes;
    for await (const group of groups(pages(record, { phase: 'moving' }), ROWS_PER_GROUP)) {
      for (const { id, version } of await missingIn(rows, record, group)) {
        count += await record.remove({ id, version });
      }
    }
    return count;
  }

  /** The holders first: a child on the node of its parent only waits there. */
  async holdNodes(): Promise<void> {
    for (const isHolder of [true, false]) {
      for await (const group of groups(pages(this.#workflows.record, active), ROWS_PER_GROUP)) {
        const moving = new Map(
          (await this.#workflows.rows.getAll(group.map(({ id }) => id))).map((row) => [row.id, row]),
        );
        for (const recorded of group) {
          const row = moving.get(recorded.id) ?? recorded;
          if (isActive(row.status) && (await this.#isHolder(row)) === isHolder) await this.#hold(row, isHolder);
        }
      }
    }
  }

  async #isHolder({ parent, mailboxId }: WorkflowRow): Promise<boolean> {
    return parent === null || (await this.#workflows.record.get(parent.workflow))?.mailboxId !== mailboxId;
  }

  async #hold(row: WorkflowRow, isHolder: boolean): Promise<void> {
    const { rows, record } = this.#nodes;
    const { mailboxId } = row;
    const [moving] = await rows.getAll([mailboxId]);
    const node = moving ?? (await record.get(mailboxId)) ?? { ...newNodeRow(mailboxId, now()), version: LEAP };
    const held = holding(node, row, isHolder);
    if (held !== node) await rows.write('restore', [{ row: held }]);
  }
}

const active = { status: { $in: ['pending', 'running'] } };

/** Returns the node's row with the workflow and its waits; the same row if it has them. */
function holding(node: NodeRow, row: WorkflowRow, isHolder: boolean): NodeRow {
  // It held the node already, whatever holds came later.
  const seen = { mark: contextOf(node).holdMark ?? '', areGone: false };
  const start = { type: 'launch', start: row, seen } as const;
  const waits = receiversOf(row).map((wait) => ({ type: 'await', ...wait }) as const);
  const messages = [...(isHolder ? [start] : []), ...waits];
  return messages.reduce<NodeRow>((before, message) => {
    const { changed, row: after } = nodeStep(before, message, now());
    return changed ? { ...after, pendingEffects: before.pendingEffects, pending: before.pending } : before;
  }, node);
}

const withoutPhase = ({ phase: _, ...row }: RecordedRow<WorkflowRow>): WorkflowRow => row as WorkflowRow;

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}
