/** The AsyncAPI document: a valid one, and every event of a running engine is as it says. */
import { Parser } from '@asyncapi/parser';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import test, { type ExecutionContext } from 'ava';
import { headersOf } from '../../engine/events/hooks/post-event.ts';
import { eventIn, type Publication } from '../../engine/vocabulary/event.ts';
import { openEngine } from '../support/engine/engine.ts';
import { northbound, openApi, serve } from '../support/servers/api.ts';
import { startReceiver } from '../support/servers/receiver.ts';
import { readEvents } from '../support/servers/sse.ts';

type Json = Record<string, unknown>;
const PATH = '/api/current/asyncapi.json';
const open = { ...northbound, authEnabled: false };

async function documentOf(t: ExecutionContext): Promise<Json> {
  const { send } = await openApi(t, open);
  return (await send('GET', PATH)).body;
}

test('the document is valid AsyncAPI 3', async (t) => {
  const text = JSON.stringify(await documentOf(t));
  const { document, diagnostics } = await new Parser().parse(text);
  const wrong = diagnostics.filter(({ severity }) => severity <= 1);
  t.deepEqual(
    wrong.map(({ path, message }) => `${path.join('.')}: ${message}`),
    [],
  );
  t.is(document?.version(), '3.0.0');
  t.deepEqual(
    document
      ?.channels()
      .all()
      .map((channel) => channel.id())
      .sort(),
    ['amqp', 'broadcasts', 'hook', 'notifications', 'stream'],
  );
});

test('every user that may log in can read it', async (t) => {
  const { send, as, engine } = await openApi(t);
  await engine.roles.create({ role: 'Visitor', privileges: ['Login'] });
  t.is((await send('GET', PATH)).status, 401);
  t.is((await send('GET', PATH, { token: await as('Visitor') })).status, 200);
});

/** Returns the validator of the messages of a channel. */
function checkOf(document: Json, channel: string): (name: string, payload: unknown, part?: string) => string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ ...document, $id: 'asyncapi' });
  const { messages } = document.components as { messages: Record<string, Json> };
  const known = new Map<string, ValidateFunction>();
  return (name, payload, part = 'payload') => {
    const id = `${channel}.${name}`;
    if (messages[id]?.[part] === undefined) return [`${id} has no ${part}`];
    const check = known.get(id + part) ?? ajv.compile({ $ref: `asyncapi#/components/messages/${id}/${part}` });
    known.set(id + part, check);
    return check(payload)
      ? []
      : (check.errors ?? []).map(({ instancePath, message }) => `${id}${instancePath} ${message}`);
  };
}

test('the events of a running engine are as the document says, on each way', async (t) => {
  const it = await openEngine({ heartbeatIntervalSec: 0.5 });
  t.teardown(() => it.close());
  const { send, port } = await serve(t, open, it.engine);
  const { body: document } = await send('GET', PATH);
  const receiver = await startReceiver(t);
  const { body: hook } = await send('POST', '/api/current/hooks', { body: { url: receiver.url } });
  const reader = await readEvents(t, `http://127.0.0.1:${port}/api/current/events/stream`);
  const heard: Publication[] = [];
  it.engine.listen((publication) => heard.push(publication));

  const node = await it.node();
  await it.engine.nodes.update(node.id, { name: 'other' });
  await it.engine.obms.put(node.id, { service: 'noop-obm-service', config: {} });
  const sku = { name: 's', rules: [{ path: 'dmi.maker', equals: 'x' }] };
  const { body: made } = await send('POST', '/api/current/skus', { body: sku });
  const catalog = { source: 'dmi', data: { maker: 'x' } };
  await send('POST', `/api/current/nodes/${node.id}/catalogs`, { body: catalog });
  await send('DELETE', `/api/current/skus/${made.id}`);
  await send('POST', '/api/current/lookups', {
    body: { macAddress: '00:11:22:33:44:55', ipAddress: '127.0.0.1', node: node.id },
  });
  const alert = { Severity: 'Critical', Message: 'hot', EventId: '1', MessageArgs: [] };
  t.is((await send('POST', '/api/2.0/notification/alerts', { body: alert })).status, 201);
  const good = await it.launch('Graph.noop-example', {}, node.id);
  await it.finished(good.id);
  await it.engine.library.putGraph({
    friendlyName: 'Fails',
    injectableName: 'Graph.Fails',
    tasks: [{ label: 'a', taskName: 'Task.Fixture.Fail' }],
  });
  const bad = await it.launch('Graph.Fails');
  await it.finished(bad.id);
  await it.engine.nodes.remove(node.id);
  await send('POST', `/api/current/hooks/${hook.id}/test`);

  const wanted = [
    ...['node.added', 'node.updated', 'node.obms.updated', 'node.sku.assigned', 'node.sku.unassigned', 'node.removed'],
    ...['node.alerts', 'node.skus.progress.updated', 'graph.started', 'graph.progress.updated', 'graph.finished'],
    'heartbeat.updated',
  ];
  const nameOf = ({ type, action }: { type: string; action: string }) => `${type}.${action}`;
  const hasAll = (names: readonly string[]) => wanted.every((name) => names.includes(name));
  await it.until(() => hasAll(heard.flatMap((one) => eventIn(one) ?? []).map(nameOf)));
  await reader.events.until((all) => hasAll(all.map(({ name }) => name)));
  const posted = await receiver.posted.until((all) => {
    const names = all.map(({ event }) => nameOf(event));
    return hasAll(names) && names.includes('hook.test');
  });

  const [amqp, hooks, stream] = ['amqp', 'hook', 'stream'].map((channel) => checkOf(document, channel));
  for (const event of heard.flatMap((one) => eventIn(one) ?? [])) t.deepEqual(amqp?.(nameOf(event), plain(event)), []);
  for (const { event, headers } of posted) {
    t.deepEqual(hooks?.(nameOf(event), event), []);
    t.deepEqual(hooks?.(nameOf(event), headers, 'headers'), []);
  }
  for (const { name, data } of reader.events.all) t.deepEqual(stream?.(name, data), []);
  // The check can fail.
  t.not(amqp?.('node.added', { ...posted[0]?.event, x: 1 }).length, 0);
  t.deepEqual(hooks?.('node.added', headersOf(posted[0]?.event as never, '', 'secret'), 'headers'), []);
});

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
