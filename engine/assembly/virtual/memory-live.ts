/**
 * The live port in memory. Rows are shared by reference: no step changes a row, each makes a new one. All rows are here, so
 * none is ever recorded, and a view reads them as they are.
 */
import { stepsAfter } from '../../durable/live/history-log.ts';
import { nodeKind, workflowKind } from '../../durable/live/kinds.ts';
import type { LiveRows, LiveState, Pair, PairOutcome, RowChange, RowView } from '../../durable/live/port.ts';
import type { RowKind } from '../../durable/live/redis-rows.ts';
import { actorSpec, workflowSpec } from '../../durable/live/specs.ts';
import type { NodeRow } from '../../durable/step/node.ts';
import type { HistoryStep, StepRow, WorkflowRow } from '../../durable/step/row.ts';
import { AHEAD_MS, now } from '../../platform/lib/clock.ts';
import type { CollectionSpec } from '../../platform/store/port.ts';
import type { Link } from './daemon-link.ts';
import { Documents } from './memory-store.ts';

/** The rows of one kind. */
class SharedRows<R extends StepRow> {
  readonly kind: RowKind<R>;
  readonly rows: Documents<R>;
  readonly #history: Map<string, HistoryStep[]>;

  constructor(kind: RowKind<R>, spec: CollectionSpec, history: Map<string, HistoryStep[]>) {
    this.kind = kind;
    this.rows = new Documents<R>(spec, (row) => row);
    this.#history = history;
  }

  get(id: string): R | undefined {
    return this.rows.all.get(id);
  }

  /** Called with each row that is saved. */
  wrote: (row: R) => void = () => {};

  write(row: R): void {
    this.wrote(row);
    this.rows.all.set(row.id, row);
    const step = this.kind.historyStep(row);
    if (step === undefined) return;
    const steps = this.#history.get(step.workflow) ?? [];
    if (!steps.some(({ version }) => version === step.version)) steps.push(step);
    this.#history.set(step.workflow, steps);
  }

  insert(rows: readonly R[]): boolean[] {
    return rows.map((row) => {
      const isNew = this.get(row.id) === undefined;
      if (isNew) this.write(row);
      return isNew;
    });
  }

  save(changes: readonly RowChange<R>[]): boolean[] {
    return changes.map(({ before, row }) => {
      const isSame = this.get(row.id)?.version === before.version;
      if (isSame) this.write(row);
      return isSame;
    });
  }
}

export class MemoryRows {
  readonly history = new Map<string, HistoryStep[]>();
  readonly workflows = new SharedRows<WorkflowRow>(workflowKind, workflowSpec, this.history);
  readonly nodes = new SharedRows<NodeRow>(nodeKind, actorSpec, this.history);

  /** As one daemon has them. */
  through(link: Link): LiveState {
    return {
      workflows: rowsThrough(this.workflows, link),
      nodes: rowsThrough(this.nodes, link),
      history: {
        after: (workflow, skip, limit) =>
          link.call('history after', () => stepsAfter(skip, this.history.get(workflow) ?? []).slice(0, limit)),
        remove: (workflow) => link.call('history remove', () => void this.history.delete(workflow)),
      },
      together: (pairs) => link.changeEach('rows together', pairs, (some) => some.map((pair) => this.#together(pair))),
      close: async () => {},
    };
  }

  #together({ workflow: { before, row }, node }: Pair): PairOutcome {
    const stored = this.nodes.get(node.row.id);
    if (stored === undefined) return 'absent';
    if (this.workflows.get(row.id)?.version !== before?.version) return 'differs';
    const isExpected =
      'holder' in node ? nodeKind.holderOf?.(stored) === node.holder : stored.version === node.before.version;
    if (!isExpected) return 'differs';
    const version = stored.version + 1;
    this.workflows.write(row);
    this.nodes.write({ ...node.row, version });
    return version;
  }
}

function rowsThrough<R extends StepRow>(shared: SharedRows<R>, link: Link): LiveRows<R> {
  const what = (operation: string) => `${shared.kind.name} ${operation}`;
  const { rows } = shared;
  const view: RowView<R> = {
    get: (id) => link.call(what('get'), () => shared.get(id)),
    find: (filter, options) => link.call(what('find'), () => rows.find(filter, options)),
    pick: (fields, filter, options) => link.call(what('pick'), () => rows.pick(fields, filter, options)),
    lastOf: (fields, by, values, limit) => link.call(what('lastOf'), () => rows.lastOf(fields, by, values, limit)),
    count: (filter) => link.call(what('count'), () => rows.matching(filter).length),
  };
  const insert = (all: readonly R[]) => link.changeEach(what('insert'), all, (some) => shared.insert(some));
  const save = (changes: readonly RowChange<R>[]) =>
    link.changeEach(what('save'), changes, (some) => shared.save(some));
  return {
    view,
    get: view.get,
    getAll: (ids) => link.call(what('getAll'), () => ids.flatMap((id) => shared.get(id) ?? [])),
    insert,
    insertOnce: insert,
    withdraw: ({ id, version }) =>
      link.call(what('withdraw'), () => {
        if (shared.get(id)?.version === version) rows.all.delete(id);
      }),
    save,
    settle: save,
    isReplicated: () => false,
    remove: (id) => link.call(what('remove'), () => void rows.all.delete(id)),
    remember() {},
    leftRows: (quietMs) => each(link, what('left'), () => [...rows.all.values()].filter((row) => isLeft(row, quietMs))),
    dueRows: (until) =>
      each(link, what('due'), () =>
        [...rows.all.values()].filter((row) => (shared.kind.timerAt(row) ?? Infinity) <= until),
      ),
  };
}

/** A row that was saved in the future was saved before the clock was set back. */
function isLeft({ pending, updatedAt }: StepRow, quietMs: number): boolean {
  const age = now() - Date.parse(updatedAt);
  return pending && (quietMs === 0 || age >= quietMs || age < -AHEAD_MS);
}

async function* each<R>(link: Link, what: string, rows: () => R[]): AsyncGenerator<R> {
  yield* await link.call(what, rows);
}
