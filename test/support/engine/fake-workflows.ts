/** The workflows of a fake engine: rows in memory, which nothing runs. */
import { randomUUID } from 'node:crypto';
import type { Engine, Page, PagedList } from '../../../engine/api-port/index.ts';
import type { HistoryEntry, WorkflowRow } from '../../../engine/durable/step/row.ts';
import { Query } from '../../../engine/platform/store/query.ts';
import { NodewrightError } from '../../../engine/vocabulary/errors.ts';
import { isActive } from '../../../engine/vocabulary/states.ts';

function pageOf<T extends object>(all: Iterable<T>, page: Page): PagedList<T> {
  const matching = new Query(page.filter).find<T>([...all]);
  const items = page.sort ? matching.sort(page.sort).all() : matching.all();
  return { items: items.slice(page.skip, page.skip + page.limit), total: items.length };
}

export const fakeActiveRow = (rows: Map<string, WorkflowRow>, nodeId: string) =>
  [...rows.values()].find((row) => row.node === nodeId && isActive(row.status));

function cancelled(row: WorkflowRow): WorkflowRow {
  if (!isActive(row.status) && row.status !== 'cancelled') {
    throw new NodewrightError('WORKFLOW_ENDED', `Workflow ${row.id} has ${row.status}`);
  }
  return Object.assign(row, { status: 'cancelled' });
}

export function fakeWorkflows(
  rows: Map<string, WorkflowRow>,
  nodes: Pick<Engine['nodes'], 'idOf'>,
): Pick<Engine, 'launches' | 'workflows' | 'control'> {
  return {
    launches: {
      nodeIdOf: (identifier) => nodes.idOf(identifier),
      launch: async ({ name, options, nodeId, domain = 'default' }) => {
        if (name !== 'Graph.Demo') throw new NodewrightError('NOT_FOUND', `Graph definition not found for ${name}`);
        if (nodeId && fakeActiveRow(rows, nodeId)) {
          throw new NodewrightError('NODE_BUSY', 'Unable to run multiple task graphs against a single target.');
        }
        const row = demoRow(nodeId, domain, options);
        rows.set(row.id, row);
        return row;
      },
      retry: async (id) => rows.get(id),
    },
    workflows: {
      get: async (id) => rows.get(id),
      ownerOf: async (id) => {
        const row = rows.get(id);
        return row && { owner: row.owner ?? null };
      },
      ownedBy: async (teams, ids) => new Set(ids.filter((id) => teams.includes(rows.get(id)?.owner ?? ''))),
      list: async (page) => pageOf(rows.values(), page),
      activeOn: async (nodeId) => fakeActiveRow(rows, nodeId),
      history: async (id, page) => pageOf(rows.has(id) ? [historyLine()] : [], page),
    },
    control: {
      cancel: async (id) => {
        const row = rows.get(id);
        return row && cancelled(row);
      },
      release: async (id) => {
        const row = rows.get(id);
        if (row && row.error?.code !== 'QUARANTINED')
          throw new NodewrightError('CONFLICT', `Workflow ${id} is not held`);
        return row && Object.assign(row, { error: null });
      },
      pause: async (id) => rows.get(id),
      resume: async (id) => rows.get(id),
      retryNow: async (id) => rows.get(id),
      cancelOn: async (nodeId) => {
        const row = fakeActiveRow(rows, nodeId);
        return row && cancelled(row);
      },
      remove: async (id) => {
        const row = rows.get(id);
        if (row && isActive(row.status)) throw new NodewrightError('WORKFLOW_ACTIVE', `Workflow ${id} is active`);
        return rows.delete(id);
      },
    },
  };
}

const historyLine = (): HistoryEntry => ({
  version: 1,
  at: new Date().toISOString(),
  event: 'xstate.init',
  from: '',
  to: 'running',
  cause: { kind: 'engine', ref: null },
});

function demoRow(node: string | null, domain: string, options: Record<string, unknown>): WorkflowRow {
  const now = new Date().toISOString();
  const id = randomUUID();
  const task = { label: 'first', taskName: 'Task.noop', instanceId: randomUUID(), state: 'running' as const };
  return {
    id,
    version: 1,
    graphName: 'Graph.Demo',
    definitionHash: 'abc',
    node,
    mailboxId: node ?? id,
    domain,
    operator: null,
    options,
    bindings: {},
    parent: null,
    encrypted: false,
    traceparent: '00-11111111111111111111111111111111-1111111111111111-00',
    callbackKey: 'key',
    launchedBy: null,
    createdAt: now,
    name: 'Demo',
    status: 'running',
    output: null,
    tasks: [{ ...task, attempts: 1, startedAt: now, finishedAt: null, output: null, error: null, waitingOn: null }],
    error: null,
    operations: {},
    timers: {},
    taken: {},
    timerAt: null,
    pendingEffects: [],
    pending: false,
    progress: { value: 0, maximum: 1, percentage: '0%', description: '' },
    actors: { graph: { snapshot: { value: 'running', context: { seen: 1 } } } },
    counts: { taskRuns: 1, operations: 0, history: 1, events: 0 },
    startedAt: now,
    finishedAt: null,
    updatedAt: now,
  };
}
