/** The names of 0.1 that 0.2 removes (`engine/vocabulary/until-0.2.ts`). */
import test from 'ava';
import { northbound, openApi } from '../support/servers/api.ts';

const endpoint = { ...northbound, authEnabled: false };
const port = { running: 0, waiting: 0, failures: 3, retryAt: '2026-01-01T00:01:00.000Z', lastAnswerAt: null };
const gate = { id: '10.1.1.1', host: '10.1.1.1', ...port, ports: [{ address: '10.1.1.1:623', port: 623, ...port }] };

test('a BMC has the end of its open circuit by both names, in the list, in why and in the totals', async (t) => {
  const { send, engine } = await openApi(t, endpoint);
  const bmc = { ...port, host: gate.host, address: '10.1.1.1:623' };
  const why = {
    status: null,
    node: null,
    holder: null,
    waits: [],
    bmc,
    agent: null,
    holds: [],
    rollouts: [],
    console: null,
    capture: null,
    suggestions: [],
  };
  engine.bmcs.all = async () => [gate];
  engine.diagnosis.whyWorkflow = async () => why;
  const [listed] = (await send('GET', '/api/current/bmcs')).body;
  const explained = await send('GET', '/api/current/workflows/w/why');
  for (const found of [listed, listed.ports[0], explained.body.bmc]) {
    t.like(found, { retryAt: port.retryAt, restsUntil: port.retryAt });
  }
  t.deepEqual((await send('GET', '/api/current/summary')).body.bmcs, { circuitsOpen: 0, resting: 0 });
});

test('the circuits of a BMC are closed at both paths, and the document says which one is deprecated', async (t) => {
  const { send, engine } = await openApi(t, endpoint);
  const closed: string[] = [];
  engine.bmcs.reset = async (host) => closed.push(host) > 0;
  t.is((await send('DELETE', '/api/current/bmcs/10.1.1.1/circuit')).status, 204);
  t.is((await send('DELETE', '/api/current/bmcs/10.1.1.1/rest')).status, 204);
  t.deepEqual(closed, ['10.1.1.1', '10.1.1.1']);
  const { paths, components } = (await send('GET', '/api/current/openapi.json')).body;
  t.is(paths['/api/current/bmcs/{id}/circuit'].delete.deprecated, undefined);
  t.true(paths['/api/current/bmcs/{id}/rest'].delete.deprecated);
  t.like(components.schemas.Poller.properties.restsUntil, { deprecated: true, 'x-replaced-by': 'retryAt' });
});

test('a plan and a batch have what is rejected by both names', async (t) => {
  const { send, engine } = await openApi(t, endpoint);
  const plan = await send('POST', '/api/current/workflows/plan', { body: { name: 'Graph.noop-example' } });
  t.like(plan.body, { rejections: [], refusals: [] });
  const rejected = [{ node: 'n', code: 'NODE_BUSY', message: 'm' }];
  const counts = { pending: 0, running: 0, succeeded: 2, failed: 0, cancelled: 0 };
  const plain = {
    concurrency: null,
    maxFailures: null,
    ticket: null,
    launchedBy: null,
    createdBy: null,
    updatedAt: '2026-01-01T00:00:00.000Z',
    createdAt: '2026-01-01T00:00:00.000Z',
  };
  engine.batches.get = async (id) => ({
    ...plain,
    id,
    name: 'Graph.noop-example',
    status: 'finished',
    launched: [],
    rejected,
    waiting: [],
    counts,
  });
  t.like((await send('GET', '/api/current/batches/b')).body, { rejected, refused: rejected, counts });
});
