/** The doctor's look at all nodes, however many pages the daemon has of them. */
import test from 'ava';
import { examine } from '../../api/cli/examination.ts';

const NODES = 2_100;
const nodes = Array.from({ length: NODES }, (_, n) => ({ id: `n${n}`, name: `node ${n}` }));
const totals = {
  stores: 'up',
  disk: { path: '/', freeBytes: 1, totalBytes: 1 },
  broker: 'none',
  backlog: { events: 0, hooks: 0 },
  backup: { lastAt: null },
  workflows: { stuck: 0, byStatus: {} },
  bmcs: { circuitsOpen: 0 },
};

/** A daemon with many nodes, of which the last lacks its catalog. */
const client = {
  url: 'http://127.0.0.1:1',
  async get(path: string, { query = {} }: { query?: Record<string, unknown> } = {}) {
    if (path === '/summary') return { body: totals };
    if (path === '/nodes') {
      const [skip, top] = [Number(query.$skip ?? 0), Number(query.$top)];
      const next = skip + top < NODES ? { ...query, $skip: skip + top } : undefined;
      return { body: nodes.slice(skip, skip + top), total: NODES, next };
    }
    if (path === '/catalogs') {
      const asked = String(query.node).split(',');
      return { body: asked.filter((id) => id !== `n${NODES - 1}`).map((node) => ({ node })) };
    }
    return { body: [], total: 0, at: Date.now() };
  },
};

test('a node without its dmi catalog is found on any page, and all nodes are counted', async (t) => {
  const findings = await examine(client as never);
  const { state, detail } = findings.find(({ subject }) => subject === 'catalogs') ?? {};
  t.is(state, 'warning');
  t.is(detail, `1 of ${NODES} nodes have no dmi catalog, such as node ${NODES - 1}`);
});
