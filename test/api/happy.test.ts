/** Every operation of the document is used as intended, and its answer fits its documentation. */
import test, { type ExecutionContext } from 'ava';
import type { Engine } from '../../engine/api-port/index.ts';
import { type DocumentedAnswer, documentedAnswers } from '../support/data/documented-answers.ts';
import type { OperationExample } from '../support/data/example-step.ts';
import { northboundExamples, southboundExamples } from '../support/data/operation-examples.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { openStoppedVersion } from '../support/engine/stopped-version.ts';
import { type Api, northbound, serve, southbound } from '../support/servers/api.ts';
import { startSnmpAgent } from '../support/servers/snmp-agent.ts';

let it: TestEngine;

test.before(async () => {
  // No example launches this graph, but each launch then has the roles of its user.
  const restrictions = [{ graphs: ['Graph.Absent'], roles: ['Administrator'] }];
  it = await openStoppedVersion(await openEngine({ restrictions }));
});
test.after.always(() => it?.close());

/** @returns the operations that were not used */
async function checkAll(
  t: ExecutionContext,
  { send }: Api<Engine>,
  examples: AsyncIterable<OperationExample>,
  wanted: Map<string, DocumentedAnswer>,
): Promise<string[]> {
  const left = new Set(wanted.keys());
  for await (const [id, { method, path, ...request }] of examples) {
    const check = wanted.get(id);
    if (check === undefined) t.fail(`${id} is not an operation of the document`);
    const { status, headers, body } = await send(method, path, request);
    t.is(String(status), check?.status ?? '', `${id}: ${JSON.stringify(body).slice(0, 300)}`);
    if (check?.fits === undefined) t.is(body, '', id);
    else {
      t.is(headers.get('content-type')?.split(';')[0], check.type, id);
      t.true(check.fits(body), `${id}: ${JSON.stringify(check.fits.errors)} ${JSON.stringify(body)}`);
    }
    left.delete(id);
  }
  return [...left];
}

test.serial('each operation answers as documented', async (t) => {
  const api = await serve(t, northbound, it.engine);
  const { body: document } = await api.send('GET', '/api/2.0/openapi.json', { token: await api.as('Administrator') });
  const examples = northboundExamples(api, it, await startSnmpAgent(t));
  // Log-ins and log-outs at a provider: oidc.test.ts, oidc-logout.test.ts.
  const unused = ['beginProviderLogin', 'completeProviderLogin', 'endProviderSession', 'endSessionLogins'];
  t.deepEqual(await checkAll(t, api, examples, documentedAnswers(document)), unused, 'not used');
  // Also by batches, rollouts, schedules and retries. A rule has the roles of no user.
  const byUser = { skip: 0, limit: 1_000, filter: { launchedBy: 'Administrator' } };
  const rows = (await it.engine.workflows.list(byUser)).items.filter(({ rule }) => rule === undefined);
  t.true(rows.length >= 10, `${rows.length}`);
  for (const { id, graphName, launcherRoles } of rows)
    t.deepEqual(launcherRoles, [{ role: 'Administrator' }], `${graphName} ${id}`);
});

test.serial('each operation of the southbound endpoint answers as documented', async (t) => {
  const api = await serve(t, southbound, it.engine);
  const wanted = documentedAnswers((await api.send('GET', '/api/2.0/openapi.json')).body);
  // An agent's requests for commands: tasks.test.ts.
  t.deepEqual(await checkAll(t, api, southboundExamples(api), wanted), ['getAgentTask', 'getAgentTaskWanted']);
});
