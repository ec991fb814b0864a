/** The doctor's look at all nodes, however many pages the daemon has of them, and at what a user may see. */
import test from 'ava';
import { ApiError } from '../../api/cli/api-error.ts';
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
  t.is(detail, `1 of 2,100 nodes has no dmi catalog, such as node ${NODES - 1}`);
});

test('what the user may not look at is skipped and named, and the rest is looked at', async (t) => {
  const get = async (path: string, options?: { query?: Record<string, unknown> }) => {
    if (['/summary', '/catalogs'].includes(path))
      throw new ApiError(403, { code: 'FORBIDDEN', requiredPrivileges: ['Read', 'ConfigureComponents'] });
    return client.get(path, options);
  };
  const findings = await examine({ ...client, get } as never);
  const subjects = (state: string) => findings.filter((one) => one.state === state).map(({ subject }) => subject);
  t.deepEqual(subjects('ok'), ['daemon', 'clock', 'tools', 'definitions']);
  t.deepEqual(subjects('skipped'), ['stores', 'disk', 'broker', 'hooks', 'backup', 'workflows', 'BMCs', 'catalogs']);
  t.regex(findings.find(({ subject }) => subject === 'disk')?.detail ?? '', /needs Read or ConfigureComponents/);
  const away = { ...client, get: () => Promise.reject(new ApiError(401, {})) };
  await t.throwsAsync(examine(away as never), { message: /nw login/ });
});
