import { inspect } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '../../../../engine/platform/store/mongodb.ts';
import {
  type CollectionSpec,
  type Document,
  DuplicateError,
  type Filter,
  type Store,
  type Update,
} from '../../../../engine/platform/store/port.ts';
import { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import { storeConformance } from '../../../conformance/store.ts';
import { deferred } from '../../../support/ava/deferred.ts';
import { needing } from '../../../support/ava/needs.ts';
import { startChild } from '../../../support/faults/child.ts';
import {
  type MongoDb,
  noGuardedMongoDb,
  noMongoDb,
  noPrivateMongoDb,
  openMongoDb,
  startMongoDb,
} from '../../../support/servers/mongodb.ts';

const CLOSE_TIMEOUT_MS = 6_000;

const silent = { info() {}, warn() {} };

/** The log, one entry a line; `noticed` resolves when an outage is logged. */
function listening() {
  const lines: string[] = [];
  const noticed = deferred<void>();
  const warn = (fields: object, message: string) => {
    lines.push(`${message} ${inspect(fields, { depth: null })}`);
    if (message.startsWith('MongoDB is away')) noticed.resolve();
  };
  return { lines, noticed: noticed.promise, log: { info: (message: string) => lines.push(message), warn } };
}

let server: MongoDb;
let store: Store;
if (!noMongoDb) {
  test.before(async () => {
    server = await openMongoDb();
    store = await openMongoStore(server.url, silent);
  });
  test.after.always(async () => {
    await store?.close();
    await server?.stop();
  });
}

const { serial } = needing(noMongoDb, 'mongodb');
const guarded = noGuardedMongoDb === noPrivateMongoDb ? needing(noPrivateMongoDb, 'mongodb').serial : test.serial.skip;
const outage = needing(noPrivateMongoDb, 'mongodb').serial;

storeConformance(serial, () => store);

serial(
  'an index that is declared later covers existing documents, and an index that is no longer declared is dropped',
  async (t) => {
    const open = async (indexes: CollectionSpec['indexes'], unique: string[] = []) => {
      const own = await openMongoStore(server.url, silent);
      t.teardown(() => own.close());
      return own.collection<Document & { name: string }>({ name: 'old', indexes, unique });
    };
    const before = await open({ name: 'text' });
    await before.insertMissing([{ id: 'a', name: 'x' }]);
    const after = await open({}, ['name']);
    t.is(await after.count({ name: 'x' }), 1);
    await t.throwsAsync(() => after.insert({ id: 'new', name: 'x' }), { instanceOf: DuplicateError });
    const again = await open({ name: 'text' });
    await t.notThrowsAsync(() => again.insert({ id: 'new', name: 'x' }));
  },
);

serial('an index of another client is kept', async (t) => {
  const client = new MongoClient(server.url);
  t.teardown(() => client.close());
  await client.db().collection('others').createIndex({ size: 1 }, { name: 'theirs' });
  await store.collection({ name: 'others', indexes: { name: 'text' } });
  const names = (await client.db().collection('others').indexes()).map(({ name }) => name);
  t.deepEqual(names.sort(), ['_id_', 'nodewright:name', 'theirs']);
});

serial("queries and updates outside the port's interface are rejected at any depth", async (t) => {
  const things = await store.collection({ name: 'rejecting', indexes: {} });
  const filters: Filter[] = [
    { $where: 'true' },
    { $expr: {} },
    { $or: [{ $and: [{ $where: 'true' }] }] },
    { name: { $type: 2 } },
    { name: { $not: { $mod: [1, 0] } } },
    { list: { $elemMatch: { a: { $where: 'true' } } } },
    { name: { constructor: 1, $gt: 1 } },
    { name: { $in: 'x' } },
  ];
  for (const filter of filters) await t.throwsAsync(async () => things.find(filter), { code: 'INVALID' });
  for (const update of [{ $rename: { a: 'b' } }, { $setOnInsert: { a: 1 } }] as unknown as Update[])
    await t.throwsAsync(() => things.update({}, update), { code: 'INVALID' });
});

serial('a document that is too large is rejected', async (t) => {
  const things = await store.collection<Document & { free: string }>({ name: 'large', indexes: {} });
  const large = { id: 'a', free: 'x'.repeat(17 * 1024 * 1024) };
  await t.throwsAsync(() => things.insert(large), { instanceOf: NodewrightError, code: 'TOO_LARGE' });
  t.is(await things.count({}), 0);
  const neighbors = Array.from({ length: 20 }, (_, n) => things.insert({ id: `small ${n}`, free: '' }));
  await t.throwsAsync(() => things.insert(large), { code: 'TOO_LARGE' });
  await Promise.all(neighbors);
  t.is(await things.count({}), 20);
});

const promptly = async (t: ExecutionContext, what: string, call: () => Promise<unknown>) => {
  const from = Date.now();
  await t.throwsAsync(call, { instanceOf: NodewrightError, code: 'UNAVAILABLE' }, what);
  t.true(Date.now() - from < CLOSE_TIMEOUT_MS, `${what} took ${Date.now() - from} ms`);
};

for (const [how, away, back] of [
  ['is killed', 'kill', 'start'],
  ['hangs', 'pause', 'resume'],
] as const) {
  outage(`while the server ${how} every call is unavailable within 6 s, and works again afterwards`, async (t) => {
    const own = await startMongoDb();
    t.teardown(() => own.stop());
    const { lines, noticed, log } = listening();
    const mine = await openMongoStore(own.url, log);
    t.teardown(() => mine.close());
    const things = await mine.collection<Document & { version: number }>({ name: 'things', indexes: {} });
    await things.insert({ id: 'a', version: 1 });
    await own[away]();
    await Promise.all([
      promptly(t, 'get', () => things.get('a')),
      promptly(t, 'find', () => things.find({})),
      promptly(t, 'count', () => things.count({})),
      promptly(t, 'insert', () => things.insert({ id: 'b', version: 1 })),
      promptly(t, 'insertMissing', () => things.insertMissing([{ id: 'c', version: 1 }])),
      promptly(t, 'replace', () => things.replace([{ id: 'a', version: 3 }])),
      promptly(t, 'update', () => things.update({ id: 'd' }, { $inc: { version: 1 } })),
      promptly(t, 'remove', () => things.remove({ id: 'd' })),
      promptly(t, 'ping', () => mine.ping()),
      promptly(t, 'a new collection', () => mine.collection({ name: 'more', indexes: { name: 'text' } })),
    ]);
    await promptly(t, 'get once more', () => things.get('a'));
    await noticed;
    await own[back]();
    await t.notThrowsAsync(() => mine.ping());
    t.deepEqual(await things.get('a'), { id: 'a', version: 1 });
    t.deepEqual(await things.replace([{ id: 'a', version: 2 }]), [true]);
    await t.notThrowsAsync(() => mine.collection({ name: 'more', indexes: { name: 'text' } }));
    t.deepEqual(lines.map((line) => /is (away|back)/.exec(line)?.[1]).filter(Boolean), ['away', 'back']);
  });
}

outage('acknowledged writes survive a kill -9 of their writer', async (t) => {
  const own = await startMongoDb();
  t.teardown(() => own.stop());
  const child = startChild(`
    import { openMongoStore } from './engine/platform/store/mongodb.ts';
    const store = await openMongoStore(${JSON.stringify(own.url)}, { info() {}, warn() {} });
    const things = await store.collection({ name: 'things', indexes: {} });
    for (let n = 0; ; n += 1) {
      await things.insert({ id: 'n' + n, version: 1 });
      const [written] = await things.replace([{ id: 'n' + n, version: 2 }]);
      if (written) console.log('n' + n);
    }`);
  t.teardown(() => child.kill('SIGKILL'));
  const acknowledged: string[] = [];
  while (acknowledged.length < 200) acknowledged.push((await child.line()) ?? t.fail('the writer has ended') ?? '');
  await child.kill('SIGKILL');
  for (let line = await child.line(); line !== undefined; line = await child.line()) acknowledged.push(line);
  const mine = await openMongoStore(own.url, silent);
  t.teardown(() => mine.close());
  const things = await mine.collection<Document & { version: number }>({ name: 'things', indexes: {} });
  t.is(await things.count({ id: { $in: acknowledged }, version: 2 }), acknowledged.length);
});

const SECRET = 'hunter2-and-more';

outage('neither an error nor a line of the log contains a password', async (t) => {
  const own = await startMongoDb();
  t.teardown(() => own.stop());
  const host = new URL(own.url).host;
  const urls = [
    `mongodb://operator:${SECRET}@${host}/things`,
    `mongodb://operator:${SECRET}@${host}/things?tls=true`,
    `mongodb://operator:${SECRET}@127.0.0.1:1/things`,
    `mongodb://operator:${SECRET}@@:x/things`,
    `mongodb://operator:${SECRET}@${host}/things?unknown=${SECRET}`,
    `mongodb://operator:${SECRET}@${host}/things?w=${SECRET}&tlsCAFile=/none`,
  ];
  const { lines, log } = listening();
  for (const url of urls) {
    const from = Date.now();
    const error = await t.throwsAsync(() => openMongoStore(url, log), { instanceOf: NodewrightError }, url);
    t.true(Date.now() - from < CLOSE_TIMEOUT_MS);
    t.regex((error as NodewrightError).code, /^(UNAVAILABLE|CONFIG_INVALID)$/, String(error));
    t.notRegex(`${inspect(error, { depth: null, showHidden: true })}`, new RegExp(SECRET));
  }
  t.notRegex(lines.join('\n'), new RegExp(SECRET));
});

guarded('credentials and TLS in the URL work, and without either the server is not used', async (t) => {
  const guard = { user: 'operator', password: `${SECRET}/@:%` };
  const own = await startMongoDb(guard);
  t.teardown(() => own.stop());
  const { lines, log } = listening();
  const mine = await openMongoStore(own.url, log);
  t.teardown(() => mine.close());
  const things = await mine.collection({ name: 'things', indexes: {} });
  await things.insert({ id: 'a' });
  t.deepEqual(await things.get('a'), { id: 'a' });
  const rejected = async (change: (url: URL) => void, code: string) => {
    const url = new URL(own.url);
    change(url);
    const error = await t.throwsAsync(() => openMongoStore(url.href, log), { instanceOf: NodewrightError, code });
    t.notRegex(inspect(error, { depth: null, showHidden: true }), new RegExp(SECRET));
  };
  await rejected((url) => {
    url.password = `${SECRET}-not`;
  }, 'CONFIG_INVALID');
  await rejected((url) => url.searchParams.delete('tlsCAFile'), 'UNAVAILABLE');
  t.notRegex(lines.join('\n'), new RegExp(SECRET));
});
