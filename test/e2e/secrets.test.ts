/**
 * Secrets of every kind, in a daemon whose environment exposes them: its output for users, and its stored data, are
 * searched for them. The environment must have received them: otherwise they were lost, not hidden.
 */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import anyTest, { type ExecutionContext } from 'ava';
import Database from 'libsql';
import { MongoClient } from 'mongodb';
import { northboundRoutes } from '../../api/endpoint/northbound.ts';
import { pathsOf } from '../../api/http/route.ts';
import { RequestMetrics } from '../../api/middleware/measure.ts';
import { databaseFile } from '../../engine/platform/store/data-dir.ts';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import type { Planted } from '../support/data/planted-secrets.ts';
import { loggedIn, type SecretScene, secretScene } from '../support/data/secret-scene.ts';
import type { DaemonProcess } from '../support/servers/daemon.ts';
import { listenOn } from '../support/servers/hearing.ts';
import { noPrivateMongoDb, startMongoDb } from '../support/servers/mongodb.ts';
import { noRabbitMq, startRabbitMq } from '../support/servers/rabbitmq.ts';
import { noRedis, startRedis } from '../support/servers/redis.ts';

const shared = needing(noRedis ?? noPrivateMongoDb ?? noRabbitMq);

/** The planted secrets that only users of the API sent, and that no server, agent or BMC may receive. */
const unheard = [
  ...[
    'hook url',
    'hook secret',
    'node url',
    'obm uri',
    'community',
    'kg',
    'psk',
    'new key',
    'pwd',
    'rejected',
    'sku body',
  ],
  ...[
    'answered cookie',
    'answered header',
    'answered text',
    'session token',
    'obm password',
    'env url',
    'url password',
    'shell',
  ],
];

const READER = { username: 'reader', password: 'only-reading' };
/** Longer than the stream takes to send what is in the log. */
const QUIET_MS = 1_500;
const IDS = ['id', 'name', 'injectableName', 'username', 'source', 'role', 'Id'];

/** Every path of a GET route, with all existing values of its parameters. */
async function everyGet(daemon: DaemonProcess, username: string, password: string): Promise<string[]> {
  const { url, token } = await loggedIn(daemon, username, password);
  const get = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `JWT ${token}` } });
    const text = await (path.includes('/stream') ? beginningOf(answer) : answer.text());
    return { path, status: answer.status, text, headers: JSON.stringify([...answer.headers]) };
  };
  const filled = async (path: string): Promise<string[]> => {
    const [before, parameter] = /^([^:]*)\/(:[A-Za-z]+)/.exec(path)?.slice(1) ?? [];
    if (before === undefined || parameter === undefined) return [path];
    const list = parsed((await get(before)).text);
    const names = new Set(
      list.flatMap((item) => IDS.flatMap((key) => (typeof item[key] === 'string' ? [item[key]] : []))),
    );
    const each = [...names].map((name) => filled(path.replace(parameter, encodeURIComponent(name))));
    return (await Promise.all(each)).flat();
  };
  const routes = northboundRoutes(new RequestMetrics()).filter(({ method }) => method === 'GET');
  const answers: string[] = [];
  for (const path of new Set(routes.flatMap(pathsOf).filter((one) => !one.startsWith('/docs/')))) {
    for (const one of await filled(whole[path] ?? path)) {
      const { status, text, headers } = await get(one);
      answers.push(`${status} ${one} ${headers} ${text}`);
    }
  }
  return answers;
}

/** The log of events is read from its beginning. */
const whole: Readonly<Record<string, string>> = Object.fromEntries(
  ['/api/current', '/api/2.0'].flatMap((base) => [
    [`${base}/events`, `${base}/events?limit=1000`],
    [`${base}/events/stream`, `${base}/events/stream?after=0`],
  ]),
);

/** Returns what a stream has sent when it is quiet for a moment. */
async function beginningOf({ body }: Response): Promise<string> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const chunks: Uint8Array[] = [];
  for (;;) {
    const quiet = setTimeout(QUIET_MS).then(() => ({ value: undefined }));
    const { value } = await Promise.race([reader.read(), quiet]);
    if (value === undefined) break;
    chunks.push(value);
  }
  await reader.cancel();
  return Buffer.concat(chunks).toString();
}

function parsed(text: string): Record<string, string>[] {
  try {
    const value = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function nowhere(t: ExecutionContext, planted: Planted, where: string, found: readonly (string | Buffer)[]): void {
  const hits = new Set(found.flatMap((text) => planted.in(text)));
  t.deepEqual([...hits], [], where);
}

async function nothingLeft(t: ExecutionContext, { daemon, planted, out }: SecretScene): Promise<void> {
  await daemon.api('POST', '/users', { ...READER, role: 'ReadOnly' });
  const reader = await everyGet(daemon, READER.username, READER.password);
  const administrator = await everyGet(daemon, 'tester', 'correct-horse');
  t.true(reader.filter((answer) => answer.startsWith('200')).length > 60);
  nowhere(t, planted, 'GET as ReadOnly', reader);
  nowhere(t, planted, 'GET as Administrator', administrator);
  nowhere(t, planted, 'answers and hooks', out);
  nowhere(t, planted, 'log', daemon.log);
  for (const text of [...reader, ...administrator, ...out, ...daemon.log])
    t.false(text.includes('nwsealed'), text.slice(0, 300));
}

/** Nothing was hidden from receivers that need it. */
async function allHeard(t: ExecutionContext, { daemon, planted, heard, workflows }: SecretScene): Promise<void> {
  const found = planted.in(heard.join('\n'));
  const lost = planted.kinds.filter(
    (kind) => !unheard.includes(kind) && !found.some((hit) => hit.startsWith(`${kind}: `)),
  );
  t.deepEqual(lost, []);
  const states: Record<string, string> = {};
  for (const [name, id] of Object.entries(workflows)) {
    states[name] = (await daemon.api('GET', `/workflows/${id}`)).body.status;
  }
  t.deepEqual(states, {
    'Graph.Secret.Rest': 'succeeded',
    'Graph.Secret.Child': 'succeeded',
    'Graph.Secret.Shell': 'failed',
    'Graph.Secret.Fails': 'failed',
    'Graph.PowerOn.Node': 'failed',
    'Graph.Redfish.Alert.Subscribe': 'succeeded',
    'Graph.Secret.Commands': 'failed',
    'Graph.Secret.Wait': 'succeeded',
  });
}

/** `readdirSync` would follow links out of the folder, on Node.js 22 and later. */
const filesIn = async (home: string): Promise<string[]> =>
  (await readdir(home, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith(join(home, 'secrets')));

anyTest('no answer, hook or log line of the daemon contains a secret, and its data has it encrypted', async (t) => {
  const dataDir = folder(t);
  const scene = await secretScene(t, { dataDir });
  await allHeard(t, scene);
  await nothingLeft(t, scene);
  await scene.daemon.kill('SIGTERM');
  nowhere(
    t,
    scene.planted,
    'bytes of the data directory',
    (await filesIn(dataDir)).map((file) => readFileSync(file)),
  );
  const rows = rowsIn(dataDir);
  t.true(rows.some((row) => row.includes('nwsealed.v1.')));
  nowhere(t, scene.planted, 'rows of the database', rows);
});

/** Returns each document; its bytes in the file may be interrupted by those of another page. */
function rowsIn(dataDir: string): string[] {
  const database = new Database(databaseFile(dataDir));
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all() as { name: string }[];
  const rows = tables.flatMap(({ name }) => database.prepare(`SELECT * FROM "${name}"`).all());
  database.close();
  return rows.map((row) => Object.values(row as object).join('\n'));
}

shared.serial('neither a message of AMQP nor a document of MongoDB contains a secret', async (t) => {
  const [redis, mongodb, rabbitmq] = await Promise.all([startRedis(), startMongoDb(), startRabbitMq()]);
  t.teardown(() => Promise.all([redis, mongodb, rabbitmq].map((server) => server.stop())));
  const messages = await listenOn(t, rabbitmq.url);
  const env = { REDIS_URL: redis.url, MONGODB_URL: mongodb.url, AMQP_URL: rabbitmq.url };
  const scene = await secretScene(t, { env });
  await allHeard(t, scene);
  nowhere(t, scene.planted, 'answers and hooks', scene.out);
  nowhere(t, scene.planted, 'log', scene.daemon.log);
  await messages.until((all) =>
    all.some(
      ({ key, body }) => key.startsWith('graph.finished.') && body.typeId === scene.workflows['Graph.Secret.Wait'],
    ),
  );
  const texts = messages.all.map(({ message }) => `${message.fields.routingKey} ${message.content}`);
  t.true(texts.some((text) => text.startsWith('notification.')));
  nowhere(t, scene.planted, 'AMQP', texts);
  for (const text of texts) t.false(text.includes('nwsealed'), text);
  const client = new MongoClient(mongodb.url);
  t.teardown(() => client.close());
  const documents: string[] = [];
  for (const { name } of await client.db().listCollections().toArray()) {
    if (name !== 'secrets')
      documents.push(...(await client.db().collection(name).find().toArray()).map((one) => JSON.stringify(one)));
  }
  t.true(documents.some((text) => text.includes('nwsealed.v1.')));
  nowhere(t, scene.planted, 'documents', documents);
});
