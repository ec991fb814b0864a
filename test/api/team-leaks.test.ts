/**
 * Every route, used by a member of one team while another team has a record of each kind. A route that members reach needs a body in
 * `bodies` here, or this test fails.
 */
import test, { type ExecutionContext } from 'ava';
import { northboundRoutes } from '../../api/endpoint/northbound.ts';
import type { Route } from '../../api/http/route.ts';
import type { CertificateRequests } from '../../engine/workflows/requests/certificates.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { openEngine } from '../support/engine/engine.ts';
import type { Answer } from '../support/servers/api.ts';
import { makeTeamRecords } from '../support/servers/team-records.ts';
import { NOOP, openTeamScene, STRANGER } from '../support/servers/team-scene.ts';

const launch = (id: string) => ({ name: NOOP, node: id });
const command = (word: string) => () => ({ command: word });

/** By id of the route: a body that is valid, and names this record. */
const bodies: Record<string, (id: string) => unknown> = {
  actOnBatch: command('cancel'),
  actOnBulkAction: command('cancel'),
  actOnNodeWorkflow: command('cancel'),
  actOnRollout: command('cancel'),
  actOnSchedule: command('pause'),
  actOnTicket: command('withdraw'),
  actOnWorkflow: command('cancel'),
  addHold: () => ({ kind: 'repair', reason: 'none', blocks: ['poll'] }),
  addTags: () => ({ tags: ['none'] }),
  changeNode: () => ({ name: 'none' }),
  changeSchedule: () => ({ overlap: 'queue' }),
  createRollout: (id) => ({ graph: NOOP, targets: { nodes: [id] } }),
  createSchedule: (id) => ({ name: 'none', when: { everySec: 86_400 }, launch: { name: NOOP, nodes: [id] } }),
  createTicket: (id) => ({ launch: { name: NOOP, node: id } }),
  notifyWorkflow: () => ({}),
  planRollout: (id) => ({ graph: NOOP, targets: { nodes: [id] } }),
  planWorkflow: launch,
  retryWorkflow: () => ({}),
  startBatch: (id) => ({ name: NOOP, nodes: [id] }),
  startBulkAction: (id) => ({ command: 'cancel', ids: [id] }),
  startNodeWorkflow: () => ({ name: NOOP }),
  startWorkflow: launch,
};

/** They take what they cannot do to one record as its outcome. */
const lenient = ['startBatch', 'startBulkAction'];

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d{2}-\d{2}T[\d:.]+Z/g;

/** Without what differs between any two answers, and the id that was asked for. */
const comparable = ({ status, body }: Answer, id: string): string =>
  `${status} ${JSON.stringify(body)}`.replaceAll(id, '<id>').replaceAll(UUID, '<uuid>').replaceAll(TIME, '<time>');

/** @param first of several records in the path */
const urlOf = ({ path, base = 'api' }: Pick<Route, 'path' | 'base'>, id: string, first = id): string => {
  const parts = path.split('/');
  const named = parts.findIndex((part) => part.startsWith(':'));
  const filled = parts.map((part, at) => (part.startsWith(':') ? (at === named ? first : id) : part));
  return `${base === '1.1' ? '/api/1.1' : '/api/current'}${filled.join('/')}`;
};

const isNamed = ({ id, path }: Route): boolean => path.includes(':') || bodies[id] !== undefined;
const hasTwo = ({ path }: Route): boolean => path.split(':').length > 2;

async function openTwoTeams(t: ExecutionContext) {
  const it = await openEngine();
  t.teardown(() => it.close());
  const { call, member, node, send } = await openTeamScene(t, it);
  const make = async (word: string) => {
    const team = `${word}-team`;
    await call('POST', '/teams', { name: team });
    const token = await member(word, [{ role: 'Administrator', team }]);
    const request: typeof call = (method, path, body) => call(method, path, body, token);
    const requests = { send: request, site: call, end: (id: string) => it.finished(id) };
    const records = await makeTeamRecords(word, await node(word, team), requests);
    await (it.engine.certificates as CertificateRequests).certify(`${records.failed}/drives`, []);
    return { token, records };
  };
  const mine = await make('aardvark');
  const theirs = await make('zebra');
  const hidden = [...Object.values(theirs.records), 'zebra-team'];
  const ask = (route: Route, id = '', first = id) => {
    const body = bodies[route.id]?.(id);
    const request = { token: mine.token, ...(body !== undefined && { body }) };
    return send(route.method, urlOf(route, id, first), request);
  };
  return { hidden, words: [...hidden, 'zebra'], ask, own: mine.records };
}

test('no route shows a record of another team, changes it, or answers otherwise than without it', async (t) => {
  t.timeout(WAIT_MS * 4);
  const { hidden, words, ask, own } = await openTwoTeams(t);
  const check = (answer: Answer, id: string, about: string) => {
    const text = JSON.stringify([answer.body, answer.headers.get('link')]).replaceAll(id, '<id>');
    const word = words.find((one) => text.includes(one));
    t.is(word, undefined, `${about} discloses ${word}: ${text.slice(0, 500)}`);
  };
  const routes = northboundRoutes({} as never).filter(
    ({ resourceGroup, follows }) => !['open', 'sessions'].includes(resourceGroup) && follows !== true,
  );
  const isReached = ({ reach }: Route) => reach !== undefined;
  const limited = routes.filter(({ reach }) => reach?.by !== 'free');
  for (const { id, method, body } of limited.filter(isReached))
    if (body !== undefined && method !== 'GET') t.true(id in bodies, `${id} has no body here`);
  // First: batches and actions of the member will name the records that it asks for.
  for (const route of limited.filter((one) => !isNamed(one) || !isReached(one))) {
    const [id = ''] = hidden;
    const answer = await ask(route, id);
    check(answer, id, route.id);
    if (route.list === undefined || !isReached(route)) continue;
    t.is(answer.headers.get('x-total-count'), String(answer.body.length), route.id);
    t.true(answer.body.length > 0, `${route.id} has none of the own`);
  }
  for (const route of limited.filter((one) => isNamed(one) && isReached(one))) {
    const { id: name, method } = route;
    for (const first of hasTwo(route) ? [undefined, own.node, own.workflow] : [undefined]) {
      const stranger = comparable(await ask(route, STRANGER, first), STRANGER);
      for (const id of hidden) {
        const answer = await ask(route, id, first);
        const about = `${name} ${first ?? ''} ${id}: ${answer.status}`;
        check(answer, id, about);
        t.is(comparable(answer, id), stranger, about);
        if (method !== 'GET') t.true(answer.status >= 400 || lenient.includes(name), about);
      }
    }
  }
});
