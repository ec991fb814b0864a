/** Every route, used by a member of a team that owns none of the records. */
import test from 'ava';
import { northboundRoutes } from '../../api/endpoint/northbound.ts';
import type { Engine } from '../../engine/api-port/index.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { northboundExamples } from '../support/data/operation-examples.ts';
import { openEngine } from '../support/engine/engine.ts';
import { openStoppedVersion } from '../support/engine/stopped-version.ts';
import { northbound, PASSWORD, serve } from '../support/servers/api.ts';
import { startSnmpAgent } from '../support/servers/snmp-agent.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

test('no example of any operation tells a member of another team anything, or changes anything', async (t) => {
  t.timeout(WAIT_MS * 4);
  const it = await openStoppedVersion(await openEngine());
  t.teardown(() => it.close());
  const api = await serve(t, northbound, it.engine as Engine);
  const admin = await api.as('Administrator');
  await it.engine.teams.create({ name: 'mine' });
  await it.engine.nodes.create({ type: 'compute', name: 'own', owner: 'mine' });
  const bindings = [{ role: 'Administrator', team: 'mine' }];
  const member = { username: 'member', password: PASSWORD, bindings };
  await api.send('POST', '/api/current/users', { token: admin, body: member });
  const { body } = await api.send('POST', '/login', { body: { username: 'member', password: PASSWORD } });
  const routes = new Map(northboundRoutes({} as never).map((route) => [route.id, route]));
  const secret = new Set<string>();
  const seen = new Set<string>();
  // The member has named these itself, such as the nodes of a batch in which all are rejected.
  const asked = new Set<string>();
  // Its own node, and the events of it.
  for (const path of ['nodes', 'events']) {
    const { body: known } = await api.send('GET', `/api/current/${path}`, { token: body.token });
    for (const word of JSON.stringify(known).match(UUID) ?? []) asked.add(word);
  }
  for await (const [id, step] of northboundExamples(api, it, await startSnmpAgent(t))) {
    const { method, path, ...request } = step;
    const route = routes.get(id);
    if (step.token !== undefined && id !== 'logout' && route !== undefined && route.resourceGroup !== 'open') {
      seen.add(id);
      for (const word of `${path} ${JSON.stringify(step.body ?? '')}`.match(UUID) ?? []) asked.add(word);
      const answer = await api.send(method, path, { ...request, token: body.token });
      const about = `${id}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`;
      // The windows of the calendar are the same for all users.
      const isFree = route.reach?.by === 'free' || id === 'getCalendar';
      if (id === 'getCalendar')
        t.true(
          answer.body.times.every(({ kind }: { kind: string }) => kind === 'window'),
          about,
        );
      const isPersonal = ['document', 'tokens', 'login', 'ownUser'].includes(route.resourceGroup);
      // A batch on nodes of others launches nothing, and an action on workflows of others has no effect.
      if (id === 'startBatch') t.deepEqual(answer.body.launched, [], about);
      else if (id === 'startBulkAction') t.is(answer.body.counts.rejected, answer.body.items.length, about);
      else if (method !== 'GET' && !isFree) t.true(answer.status >= 400, about);
      if (route.reach === undefined && !isPersonal) t.is(answer.status, 403, about);
      if (['node', 'workflow', 'record'].includes(route.reach?.by ?? ''))
        t.true([400, 403, 404].includes(answer.status), about);
      if (!isFree && !isPersonal) {
        const text = JSON.stringify(answer.body);
        for (const word of text.match(UUID) ?? []) t.false(secret.has(word) && !asked.has(word), about);
      }
    }
    const real = await api.send(method, path, request);
    for (const word of (typeof real.body === 'object' ? JSON.stringify(real.body) : '').match(UUID) ?? [])
      secret.add(word);
  }
  const withoutExample = [...routes.values()].filter(
    (route) => route.resourceGroup !== 'open' && route.resourceGroup !== 'sessions' && !seen.has(route.id),
  );
  t.deepEqual(
    withoutExample.map(({ id }) => id),
    // The other one is only there where keys are required.
    ['logout', 'broadcast'],
  );
});

test('only what reads or computes may be free of a scope, and a list of a scope filters by a field that its store has', (t) => {
  for (const { id, method, computes, reach, list, filters } of northboundRoutes({} as never)) {
    if (reach?.by === 'free') t.true(method === 'GET' || computes === true, id);
    if (reach?.list !== undefined) t.true((list ?? filters) !== undefined, id);
  }
});
