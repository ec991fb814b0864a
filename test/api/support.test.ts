/** The archive about a problem: its parts, without secrets, for managers only. */

import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import test from 'ava';
import { extract } from 'tar-stream';
import { openEngine } from '../support/engine/engine.ts';
import { northbound, serve } from '../support/servers/api.ts';

const HIDDEN_PASSWORD = 'sw0rdf1sh-Xq7';

async function partsOf(archive: Uint8Array): Promise<Map<string, string>> {
  const parts = new Map<string, string>();
  for await (const entry of Readable.from([archive]).pipe(createGunzip()).pipe(extract()))
    parts.set(entry.header.name, (await buffer(entry)).toString());
  return parts;
}

test('the archive of a workflow has its records, history, why, events, log, configuration and findings, and no secret', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  const { send, as, port } = await serve(t, northbound, it.engine);
  const config = { uri: 'http://127.0.0.1:9', user: 'u', password: HIDDEN_PASSWORD };
  const node = await it.engine.nodes.create({
    type: 'compute',
    name: 'n',
    obms: [{ service: 'redfish-obm-service', config }],
  });
  await it.engine.catalogs.add(node.id, 'bmc', { user: 'admin', password: HIDDEN_PASSWORD });
  const { id } = await it.launch('Graph.Demo.InstallOs', {}, node.id);
  const token = await as('Administrator');
  const answer = await fetch(`http://127.0.0.1:${port}/api/current/support?workflow=${id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  t.is(answer.status, 200);
  t.is(answer.headers.get('content-type'), 'application/gzip');
  const parts = await partsOf(new Uint8Array(await answer.arrayBuffer()));
  t.deepEqual([...parts.keys()].filter((name) => !name.includes('/')).sort(), [
    'bmcs.json',
    'configuration.json',
    'events.jsonl',
    'findings.json',
    'log.jsonl',
    'metrics.txt',
    'summary.json',
    'versions.json',
  ]);
  const json = (name: string) => JSON.parse(parts.get(name) ?? 'null');
  t.like(json(`workflows/${id}/record.json`), { id, node: node.id });
  t.truthy(json(`workflows/${id}/why.json`).waits);
  t.regex(parts.get(`workflows/${id}/history.jsonl`) ?? '', /"workflow.running"/);
  t.like(json(`nodes/${node.id}/record.json`), { id: node.id, name: 'n' });
  t.is(json(`nodes/${node.id}/catalogs.json`)[0].data.user, 'admin');
  t.true(json('findings.json').some(({ subject }: { subject: string }) => subject === 'stores'));
  t.regex(parts.get('metrics.txt') ?? '', /nodewright_workflows_active/);
  for (const [name, text] of parts) t.false(text.includes(HIDDEN_PASSWORD), name);
  t.is((await send('GET', '/api/current/support?workflow=none', { token })).status, 404);
  t.is((await send('GET', '/api/current/support?node=none', { token })).status, 404);
  t.is((await send('GET', '/api/current/support', { token: await as('Operator') })).status, 403);
});
