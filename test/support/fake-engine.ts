/** An engine in memory: just enough for the API to be tested without one. */
import { randomBytes, randomUUID } from 'node:crypto';
import { Query } from 'mingo';
import type {
  ApiConfig,
  DefinitionView,
  Engine,
  NodeRecord,
  Page,
  Paged,
  UserRecord,
} from '../../engine/api-port/index.ts';
import { NodewrightError } from '../../engine/define/errors.ts';
import { isActive } from '../../engine/define/states.ts';
import type { HistoryEntry, WorkflowRow } from '../../engine/step/row.ts';

export interface FakeEngine extends Engine {
  /** What was notified, in order. */
  readonly heard: { parameters: Record<string, unknown>; nodeId: string | undefined }[];
  /** The rows themselves, to be set up by tests. */
  readonly rows: Map<string, WorkflowRow>;
  /** What `ready` throws; undefined: it resolves. */
  away: NodewrightError | undefined;
}

const config: ApiConfig = {
  httpEndpoints: [],
  enableLocalHostException: true,
  authTokenExpireIn: 3_600,
  bodyLimit: 100_000,
  dataDir: '/nonexistent',
  log: { level: 'silent' },
};

export function fakeEngine(change: Partial<ApiConfig> = {}): FakeEngine {
  const heard: FakeEngine['heard'] = [];
  const rows = new Map<string, WorkflowRow>();
  return {
    config: { ...config, ...change },
    tokenSecret: randomBytes(32),
    heard,
    rows,
    away: undefined,
    users: users(),
    nodes: nodes(rows),
    workflows: workflows(rows),
    library: library(),
    notifications: {
      notify: async (parameters, nodeId) => void heard.push({ parameters, nodeId }),
      progress: async (taskId) =>
        [...rows.values()].some((row) => row.tasks.some(({ instanceId }) => instanceId === taskId)),
    },
    async ready() {
      if (this.away) throw this.away;
    },
    metrics: async () => '# HELP nodewright_fake 1\nnodewright_fake 1',
  };
}

function pageOf<T extends object>(all: Iterable<T>, page: Page): Paged<T> {
  const matching = new Query(page.filter).find<T>([...all]);
  const items = page.sort ? matching.sort(page.sort).all() : matching.all();
  return { items: items.slice(page.skip, page.skip + page.limit), total: items.length };
}

function users(): Engine['users'] {
  const all = new Map<string, UserRecord>();
  return {
    count: async () => all.size,
    get: async (name) => all.get(name),
    list: async (page) => pageOf(all.values(), page),
    create: async (user) => {
      if (all.has(user.id)) throw new NodewrightError('DUPLICATE', `User ${user.id} exists`);
      all.set(user.id, user);
    },
    createFirst: async (user) => {
      if (all.size > 0) return false;
      all.set(user.id, user);
      return true;
    },
    update: async (name, change) => {
      const user = all.get(name);
      if (!user) return undefined;
      all.set(name, { ...user, ...change });
      return all.get(name);
    },
    remove: async (name) => all.delete(name),
  };
}

function nodes(rows: Map<string, WorkflowRow>): Engine['nodes'] {
  const all = new Map<string, NodeRecord>();
  return {
    find: async (identifier) =>
      all.get(identifier) ?? [...all.values()].find((node) => node.identifiers.includes(identifier)),
    list: async (page) => pageOf(all.values(), page),
    create: async ({ autoDiscover = false, identifiers = [], relations = [], tags = [], obms: _obms, ...input }) => {
      const now = new Date().toISOString();
      const fixed = { id: randomUUID(), sku: null, createdAt: now, updatedAt: now, obms: [], catalogs: [] };
      const node = { ...fixed, ...input, autoDiscover, identifiers, relations, tags, workflows: [] };
      all.set(node.id, node);
      return node;
    },
    update: async (id, change) => {
      const node = all.get(id);
      if (!node) return undefined;
      all.set(id, { ...node, ...change, updatedAt: new Date().toISOString() });
      return all.get(id);
    },
    remove: async (id) => {
      if (activeRow(rows, id)) throw new NodewrightError('WORKFLOW_ACTIVE', `A workflow is active on node ${id}`);
      return all.delete(id);
    },
  };
}

const activeRow = (rows: Map<string, WorkflowRow>, nodeId: string) =>
  [...rows.values()].find((row) => row.node === nodeId && isActive(row.status));

function cancelled(row: WorkflowRow): WorkflowRow {
  if (!isActive(row.status) && row.status !== 'cancelled') {
    throw new NodewrightError('WORKFLOW_ENDED', `Workflow ${row.id} has ${row.status}`);
  }
  return Object.assign(row, { status: 'cancelled' });
}

function workflows(rows: Map<string, WorkflowRow>): Engine['workflows'] {
  return {
    launch: async ({ name, options, nodeId, domain = 'default' }) => {
      if (name !== 'Graph.Demo') throw new NodewrightError('NOT_FOUND', `Graph definition not found for ${name}`);
      if (nodeId && activeRow(rows, nodeId)) {
        throw new NodewrightError('NODE_BUSY', 'Unable to run multiple task graphs against a single target.');
      }
      const row = demoRow(nodeId, domain, options);
      rows.set(row.id, row);
      return row;
    },
    get: async (id) => rows.get(id),
    list: async (page) => pageOf(rows.values(), page),
    activeOn: async (nodeId) => activeRow(rows, nodeId),
    cancel: async (id) => {
      const row = rows.get(id);
      return row && cancelled(row);
    },
    cancelOn: async (nodeId) => {
      const row = activeRow(rows, nodeId);
      return row && cancelled(row);
    },
    remove: async (id) => {
      const row = rows.get(id);
      if (row && isActive(row.status)) throw new NodewrightError('WORKFLOW_ACTIVE', `Workflow ${id} is active`);
      return rows.delete(id);
    },
    history: async (id, page) => pageOf(rows.has(id) ? [historyLine()] : [], page),
  };
}

const historyLine = (): HistoryEntry => ({
  version: 1,
  at: new Date().toISOString(),
  event: 'xstate.init',
  from: '',
  to: 'running',
});

function demoRow(node: string | null, domain: string, options: Record<string, unknown>): WorkflowRow {
  const now = new Date().toISOString();
  const id = randomUUID();
  const task = { label: 'first', taskName: 'Task.noop', instanceId: randomUUID(), state: 'running' as const };
  return {
    ...{ id, version: 1, graphName: 'Graph.Demo', definitionHash: 'abc', node, target: node ?? id, domain, options },
    ...{ bindings: {}, parent: null, createdAt: now, name: 'Demo', status: 'running', ending: null, output: null },
    tasks: [{ ...task, attempts: 1, startedAt: now, finishedAt: null, output: null, error: null, waitingOn: null }],
    ...{
      error: null,
      works: {},
      timers: {},
      taken: {},
      wakeAt: null,
      todo: [],
      pending: false,
    },
    progress: { value: 0, maximum: 1, percentage: '0%', description: '' },
    cells: { graph: { snapshot: { value: 'running', context: { seen: 1 } } } },
    counts: { calls: 1, works: 0, history: 1 },
    ...{ startedAt: now, finishedAt: null, updatedAt: now },
  };
}

function library(): Engine['library'] {
  const graphs = new Map<string, DefinitionView>();
  const tasks = new Map<string, DefinitionView>();
  const put = (all: Map<string, DefinitionView>) => async (json: Record<string, unknown>) => {
    const definition = json as DefinitionView;
    all.set(definition.injectableName, definition);
    return definition;
  };
  return {
    graphs: () => [...graphs.values()],
    graph: (name) => graphs.get(name),
    putGraph: put(graphs),
    removeGraph: async (name) => graphs.delete(name),
    tasks: () => [...tasks.values()],
    task: (name) => tasks.get(name),
    putTask: put(tasks),
    removeTask: async (name) => tasks.delete(name),
    errors: () => [{ file: 'graphs/bad.ts', message: 'expected a machine' }],
  };
}
