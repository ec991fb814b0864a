/** /rehearsals as users see them: a report of earlier runs, which the real rollout can be compared with. */
import test from 'ava';
import { openEngine } from '../support/engine/engine.ts';
import { northbound, serve } from '../support/servers/api.ts';

const REHEARSED = 'Graph.noop-example';

test('a rehearsal takes the earlier runs of the site, starts nothing, and has the seed of the real rollout', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  const { send } = await serve(t, { ...northbound, authEnabled: false }, it.engine);
  const call = (method: string, path: string, body?: unknown) =>
    send(method, `/api/current${path}`, body === undefined ? {} : { body });
  const { id: node } = await it.node();
  const rollout = {
    graph: REHEARSED,
    targets: { nodes: [node] },
    phases: [{ size: 1 }],
    window: { zone: 'UTC', spans: [{ days: ['sun'], from: '00:00', to: '24:00' }], leadMinutes: 1 },
    ticket: 'is ignored',
    seed: 7,
  };
  const early = await call('POST', '/rehearsals', rollout);
  t.like(early, { status: 409, body: { code: 'CONFLICT' } });
  t.regex(early.body.message, /ended 0 times here; expected 10/);
  for (let runs = 0; runs < 10; runs += 1) await it.finished((await it.launch(REHEARSED, {}, node)).id);

  const { status, body, headers } = await call('POST', '/rehearsals', rollout);
  t.is(status, 201);
  t.is(headers.get('location'), `/api/2.0/rehearsals/${body.id}`);
  t.like(body, { graph: REHEARSED, seed: 7, window: null, createdBy: null, phases: { length: 1, 0: { targets: 1 } } });
  t.like(body.report, { basis: 'measured', failures: [], gates: [], left: 0, rejections: [], refusals: [] });
  t.is(body.report.phases[0].finishedMs.p50, body.report.durationMs.p50);
  t.is((await call('GET', '/rollouts')).body.length, 0);
  t.deepEqual((await call('GET', `/rehearsals?graph=${REHEARSED}&seed=7`)).body, [body]);
  t.deepEqual((await call('GET', '/rehearsals?seed=8')).body, []);

  const { window: _, ticket: __, ...real } = rollout;
  const { body: begun } = await call('POST', '/rollouts', real);
  t.like((await call('GET', '/rollouts?seed=7')).body, { length: 1, 0: { id: begun.id } });

  const wrong = { ...rollout, window: { ...rollout.window, zone: 'Nowhere' } };
  t.like((await call('POST', '/rehearsals', wrong)).body, { status: 400, errors: { 0: { path: 'window.zone' } } });
  t.is((await call('DELETE', `/rehearsals/${body.id}`)).status, 204);
  t.is((await call('GET', `/rehearsals/${body.id}`)).status, 404);
  t.is((await call('DELETE', `/rehearsals/${body.id}`)).status, 404);
});
