/**
 * Quotas of senders, on real sockets: beyond them 429 or 413, nothing is stored, and other senders are served
 * in the meantime.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { OwnScope } from '../support/ava/scope.ts';
import { API_PATH } from '../support/data/api-paths.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { type Answer, type Send, serve, southbound } from '../support/servers/api.ts';
import { nodeIn, senderFrom } from '../support/servers/sender.ts';

const [ONE, OTHER] = ['127.0.9.1', '127.0.9.2'];
const KIB = 1_024;

const test = anyTest as TestFn<{ it: TestEngine }>;
type T = ExecutionContext<{ it: TestEngine }>;

const quotas = {
  requestsPerMinute: 60,
  requestsAtOnce: 10,
  bodyBytesAtOnce: 64 * KIB * KIB,
  nodesPerMinute: 5,
  nodes: 8,
  catalogSources: 3,
  catalogBytes: KIB * KIB,
};

test.before(async (t) => {
  t.context.it = await openEngine({ southboundQuotas: quotas });
});
test.after.always((t) => t.context.it?.close());

/** The counters of requests belong to the endpoint. */
async function from(t: T): Promise<(address: string) => Send> {
  const { port } = await serve(t, southbound, t.context.it.engine);
  return (address) => senderFrom(t, port, address);
}

const times = <R>(count: number, make: (n: number) => Promise<R>): Promise<R[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));
const statuses = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))].sort();

function rejected(t: T, answers: readonly Answer[], message: RegExp): void {
  const over = answers.filter(({ status }) => status === 429);
  t.true(over.length > 0);
  for (const { body, headers } of over) {
    t.like(body, { code: 'TOO_MANY_REQUESTS', status: 429 });
    t.regex(body.message, message);
    t.true(Number(headers.get('retry-after')) >= 1);
  }
}

test.serial(
  'a sender has a quota of requests a minute; other senders, and the liveness check, are separate',
  async (t) => {
    const send = await from(t);
    const all: Answer[] = [];
    for (let n = 0; n < 70; n += 1) all.push(await send(ONE)('GET', '/no-such-file'));
    t.deepEqual(statuses(all), [404, 429]);
    rejected(t, all, /more than 60 requests a minute/);
    t.is((await send(ONE)('GET', '/healthz')).status, 200);
    t.is((await send(OTHER)('GET', '/no-such-file')).status, 404);
  },
);

test.serial(
  'a sender has a quota of concurrent requests, such as waiting agents; disconnected ones free their place',
  async (t) => {
    const { it } = t.context;
    const { port } = await serve(t, southbound, it.engine);
    const { id } = await it.node();
    const agents = new OwnScope();
    const [waiting, more, other] = [
      senderFrom(agents, port, ONE),
      senderFrom(t, port, ONE),
      senderFrom(t, port, OTHER),
    ];
    const answers: Answer[] = [];
    for (let n = 0; n < 12; n += 1) {
      waiting('GET', `${API_PATH}/tasks/${id}?wait=25`).then(
        (answer) => answers.push(answer),
        () => {},
      );
    }
    await it.until(() => answers.length >= 2);
    t.deepEqual(statuses(answers), [429]);
    rejected(t, answers, /more than 10 requests at the same time/);
    t.is((await more('GET', `${API_PATH}/tasks/${id}`)).status, 429);
    t.is((await other('GET', `${API_PATH}/tasks/${id}`)).status, 204);
    await agents.close();
    await it.until(async () => (await more('GET', '/no-such-file')).status === 404);
  },
);

test.serial('unfinished bodies are limited in total, over all senders', async (t) => {
  const { it } = t.context;
  const { port } = await serve(t, southbound, it.engine);
  const { id } = await it.node();
  // More than fit: most of each arrives, and the end never does. Four of one address are less than its share.
  const fit = Math.floor(quotas.bodyBytesAtOnce / 8_380_000);
  const sockets = Array.from({ length: fit + 4 }, (_, n) =>
    connect({ port, host: '127.0.0.1', localAddress: `127.0.10.${Math.floor(n / 4) + 1}` }),
  );
  const over = sockets.map((socket) => once(socket, 'data'));
  for (const socket of sockets) {
    socket.on('error', () => {});
    const head = `POST ${API_PATH}/tasks/${id} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`;
    socket.write(`${head}content-length: ${8_380_000}\r\n\r\n{"a":"${'x'.repeat(8_379_000)}`);
  }
  const [part] = await Promise.race(over);
  t.regex(
    String(part),
    / 429 [\s\S]*retry-after: 2\r\n[\s\S]*bodies of all senders up to a weight of 67108864 at the same time/i,
  );
  const other = senderFrom(t, port, OTHER);
  t.is((await other('GET', `${API_PATH}/tasks/${id}`)).status, 204, 'a request without a body is served');
  for (const socket of sockets) socket.destroy();
  const body = { tasks: [{ id: 'x', exitCode: 0, stdout: 'x'.repeat(100 * KIB) }] };
  // The places are free when the daemon has seen the ends of the connections.
  await it.until(async () => (await other('POST', `${API_PATH}/tasks/${id}`, { body })).status === 201);
  t.pass();
});

test.serial('a notification is limited to 64 KiB, a broadcast too, and the daemon stays alive', async (t) => {
  const { it } = t.context;
  const send = (await from(t))(ONE);
  const { id } = await it.node();
  const long = { body: { text: 'x'.repeat(9_000_000) } };
  for (const path of ['/notification', `/notification?nodeId=${id}`, '/notification/progress']) {
    const [{ status, body }, alive] = await Promise.all([send('POST', API_PATH + path, long), send('GET', '/healthz')]);
    t.is(status, 413, path);
    t.is(body.code, 'TOO_LARGE');
    t.is(alive.status, 200);
  }
  t.is((await send('POST', `${API_PATH}/notification`, { body: { text: 'x'.repeat(63 * KIB) } })).status, 201);
});

test.serial('requests may create a limited number of nodes a minute and in total; a user is not limited', async (t) => {
  const { it } = t.context;
  const sender = await from(t);
  const send = sender(ONE);
  const arrive = (n: number) => send('GET', `${API_PATH}/profiles?macs=02:d0:00:00:00:${10 + n}`);
  const first = await times(9, arrive);
  t.deepEqual(statuses(first), [200, 429]);
  t.is(first.filter(({ status }) => status === 200).length, 3);
  rejected(t, first, /too many new machines of this address asked within a minute/);
  const others = await times(3, (n) => sender(OTHER)('GET', `${API_PATH}/profiles?macs=02:d0:00:00:02:${10 + n}`));
  t.is(others.filter(({ status }) => status === 200).length, 2);
  rejected(t, others, /5 new machines asked within a minute/);
  t.is(
    (
      await send(
        'GET',
        `${API_PATH}/profiles?macs=02:d0:00:00:00:${10 + first.findIndex(({ status }) => status === 200)}`,
      )
    ).status,
    200,
    'a known node is served',
  );
  await it.node();
  const { total } = await it.engine.nodes.list({ skip: 0, limit: 1, filter: { name: '02:d0:00:00:00:19' } });
  t.is(total, 0, 'rejected nodes are not stored');
});

test.serial('all nodes that requests created are counted until a user changes them', async (t) => {
  const it = await openEngine({ southboundQuotas: { nodes: 2 } });
  t.teardown(() => it.close());
  const { port } = await serve(t, southbound, it.engine);
  const send = senderFrom(t, port, ONE);
  const arrive = (n: number) => send('GET', `${API_PATH}/profiles?macs=02:d0:00:00:01:0${n}`);
  const node = nodeIn((await arrive(1)).body);
  t.is((await arrive(2)).status, 200);
  const third = await arrive(3);
  rejected(t, [third], /there are 2 nodes that no user changed/);
  await it.engine.nodes.update(node, { name: 'rack 1' });
  await it.until(async () => (await arrive(3)).status === 200);
  t.false('registered' in ((await it.engine.nodes.find(node)) ?? {}));
});

test.serial('the catalogs of a node from senders are limited in sources and bytes; a user may post more', async (t) => {
  const { it } = t.context;
  const send = (await from(t))(ONE);
  const { id } = await it.node();
  const post = (source: string, bytes = 10) =>
    send('POST', `${API_PATH}/nodes/${id}/catalogs`, { body: { source, data: { text: 'x'.repeat(bytes) } } });
  const sources = await times(6, (n) => post(`s${n}`));
  t.deepEqual(sources.map(({ status }) => status).sort(), [201, 201, 201, 429, 429, 429]);
  rejected(t, sources, /has catalogs of 3 sources, expected 3 at most/);
  const source = `s${sources.findIndex(({ status }) => status === 201)}`;
  const large = await times(6, () => post(source, 300 * KIB));
  t.deepEqual(large.map(({ status }) => status).sort(), [201, 201, 201, 413, 413, 413]);
  t.regex(large.find(({ status }) => status === 413)?.body.message, /would have \d+ bytes, expected 1048576 at most/);
  for (let n = 0; n < 12; n += 1) t.is((await post(source)).status, 201, 'older ones are dropped');
  t.is((await post(source, 300 * KIB)).status, 201);
  await it.engine.catalogs.add(id, 'own', { text: 'x'.repeat(2 * KIB * KIB) });
  t.is((await post(source)).status, 413);
});

test.serial('a list of MACs adds no more lookups to a node than a machine has interfaces', async (t) => {
  const { it } = t.context;
  const send = await from(t);
  const { id } = await it.engine.nodes.create({ type: 'compute', name: 'n', identifiers: ['02:d0:00:00:02:00'] });
  const hex = (n: number) => n.toString(16).padStart(2, '0');
  for (let round = 0; round < 3; round += 1) {
    const macs = Array.from({ length: 60 }, (_, n) => `02:d0:00:0${round}:03:${hex(n)}`);
    t.is((await send(ONE)('GET', `${API_PATH}/profiles?macs=02:d0:00:00:02:00,${macs}`)).status, 200);
  }
  const { total } = await it.engine.lookups.list({ skip: 0, limit: 1, filter: { node: id } });
  t.true(total <= 64, `${total}`);
});

test.serial('no write of a sender is accepted while the disk has less space than is reserved for users', async (t) => {
  const it = await openEngine({ southboundQuotas: { diskReserve: KIB * KIB * KIB * KIB } });
  t.teardown(() => it.close());
  const { port } = await serve(t, southbound, it.engine);
  const send = senderFrom(t, port, ONE);
  const { id } = await it.node();
  const catalog = { body: { source: 's', data: { a: 1 } } };
  for (const [method, path, request] of [
    ['POST', `/notification?nodeId=${id}`],
    ['POST', '/notification'],
    ['POST', `/nodes/${id}/catalogs`, catalog],
    ['POST', `/tasks/${id}`, { body: { tasks: [] } }],
    ['POST', '/notification/alerts', { body: { EventId: '1' } }],
    ['GET', '/notification/progress?taskId=x&maximum=1&value=1'],
    ['GET', '/profiles?macs=02:d0:00:00:04:01'],
  ] as const) {
    const { status, body, headers } = await send(method, API_PATH + path, request);
    t.is(status, 503, path);
    t.regex(body.message, /the disk of the data directory is full/);
    t.true(Number(headers.get('retry-after')) >= 1);
  }
  t.is((await send('GET', `${API_PATH}/tasks/${id}`)).status, 204);
  t.is((await it.engine.nodes.list({ skip: 0, limit: 1, filter: {} })).total, 1);
});

test.serial(
  'while the broker is away senders may cause a limited number of events, and none of those is lost',
  async (t) => {
    const it = await openEngine({ amqp: 'amqp://127.0.0.1:1', southboundQuotas: { eventsWaiting: 1_000 } });
    t.teardown(() => it.close());
    const { port } = await serve(t, southbound, it.engine);
    const send = senderFrom(t, port, ONE);
    const { id } = await it.node();
    const all: Answer[] = [];
    while (!all.some(({ status }) => status === 429)) {
      all.push(...(await times(20, (n) => send('POST', `${API_PATH}/notification?nodeId=${id}&n=${n}`))));
    }
    t.deepEqual(statuses(all), [201, 429]);
    t.true(all.filter(({ status }) => status === 201).length >= 999);
    rejected(t, all, /events wait for the broker, expected fewer than 1000/);
    t.is((await send('GET', `${API_PATH}/tasks/${id}`)).status, 204);
  },
);

test.serial('a whole rack behind one address boots and is cataloged with the default quotas', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  const { port } = await serve(t, southbound, it.engine);
  const send = senderFrom(t, port, ONE);
  const data = { text: 'x'.repeat(10 * KIB) };
  const all = await times(40, async (n) => {
    const mac = `02:d1:00:00:${(n >> 8).toString(16).padStart(2, '0')}:${(n & 255).toString(16).padStart(2, '0')}`;
    // As the profiles make a machine retry that got no answer in time, or whose discovery has not begun.
    const untilAnswered = async (
      ask: () => ReturnType<Send>,
      isEarly: (body: string) => boolean = () => false,
    ): Promise<Answer> => {
      const answer = await ask();
      return answer.status === 503 || isEarly(answer.body) ? untilAnswered(ask, isEarly) : answer;
    };
    const { status, body } = await untilAnswered(
      () => send('GET', `${API_PATH}/profiles?macs=${mac}`),
      (script) => nodeIn(script) === '',
    );
    const { status: posted } = await untilAnswered(() =>
      send('POST', `${API_PATH}/nodes/${nodeIn(body)}/catalogs`, { body: { source: 'dmi', data } }),
    );
    return [status, posted];
  });
  t.deepEqual([...new Set(all.map(String))], ['200,201']);
});
