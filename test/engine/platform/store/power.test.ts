/** The embedded store after a power failure: of each file only the synced writes are left. */
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { storedKeys } from '../../../../engine/platform/secrets/secrets.ts';
import { openEmbeddedStore } from '../../../../engine/platform/store/embedded.ts';
import { needing } from '../../../support/ava/needs.ts';
import { startChild } from '../../../support/faults/child.ts';
import { noSyncedDisk, type SyncedDisk, syncedDisk } from '../../../support/faults/synced-disk.ts';

const test = needing(noSyncedDisk, 'cc');

interface Thing {
  id: string;
  version: number;
  text: string;
}

const spec = { name: 'things', indexes: { text: 'text' as const } };

/** Opens the store of `dataDir`, with the variables `store`, `things` and `lazy`, and then runs the text. */
const child = ({ path, env }: SyncedDisk, text: string) =>
  startChild(
    `
    import { openEmbeddedStore } from './engine/platform/store/embedded.ts';
    const store = await openEmbeddedStore({ dataDir: ${JSON.stringify(join(path, 'data'))} });
    const things = await store.collection(${JSON.stringify(spec)});
    const lazy = await store.collection({ name: 'lazy', indexes: {}, lazy: true });
    const thing = (id, version = 1, text = 'x') => ({ id, version, text });
    ${text}
  `,
    env,
  );

/** @returns the documents of the store on what the power failure left */
async function left(t: ExecutionContext, disk: SyncedDisk): Promise<Map<string, Thing>> {
  const dataDir = join(disk.afterPowerFailure(), 'data');
  const store = await openEmbeddedStore({ dataDir });
  t.teardown(() => store.close());
  const things = await store.collection<Thing>(spec);
  const found = new Map<string, Thing>();
  for (let page = await things.find({}); page.length > 0; ) {
    for (const thing of page) found.set(thing.id, thing);
    page = await things.find({ id: { $gt: page.at(-1)?.id } });
  }
  return found;
}

test.serial('no acknowledged write is lost by a power failure while many are written', async (t) => {
  const disk = syncedDisk(t);
  const process = child(
    disk,
    `
    const loop = async (lane) => {
      for (let n = 0; ; n++) {
        const id = lane + '-' + n;
        await things.insert(thing(id, 1, 'x'.repeat(n % 1_500)));
        console.log(id + ' 1');
        await things.replace([thing(id, 2)]);
        console.log(id + ' 2');
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, lane) => loop(lane)));
  `,
  );
  const acknowledged = new Map<string, number>();
  const keep = (line: string) => acknowledged.set(line.split(' ')[0] ?? '', Number(line.split(' ')[1]));
  while (acknowledged.size < 400) keep((await process.line()) ?? '');
  await process.kill('SIGKILL');
  // The last line may be cut.
  for (let line = await process.line(); line !== undefined; line = await process.line()) {
    if (/^\d+-\d+ [12]$/.test(line)) keep(line);
  }
  const found = await left(t, disk);
  for (const [id, version] of acknowledged) t.true((found.get(id)?.version ?? 0) >= version, `${id} ${version}`);
});

test.serial(
  'each write syncs the disk, a read does not, and a lazy one is on the disk after the next that is not',
  async (t) => {
    const disk = syncedDisk(t);
    const process = child(
      disk,
      `
    import { createInterface } from 'node:readline';
    Object.assign(globalThis, { things, lazy, thing });
    console.log('ready');
    for await (const line of createInterface({ input: process.stdin })) {
      await (0, eval)(line);
      console.log('done');
    }
  `,
    );
    t.teardown(() => process.kill('SIGKILL'));
    t.is(await process.line(), 'ready');
    const during = async (statement: string) => {
      const before = disk.syncs().length;
      process.say(statement);
      t.is(await process.line(), 'done');
      return disk.syncs().length - before;
    };
    t.is(await during(`Promise.all(['a', 'b', 'c'].map((id) => things.insert(thing(id))))`), 1, 'together');
    t.is(await during(`things.insertMissing([thing('d'), thing('e')])`), 1);
    t.is(await during(`things.replace([thing('a', 2, 'y')])`), 1);
    t.is(await during(`things.update({ id: 'a' }, { $set: { text: 'z' } })`), 1);
    t.is(await during(`things.remove({ id: 'b' })`), 1);
    t.is(await during(`things.find({ text: 'z' })`), 0);
    t.is(await during(`lazy.insertMissing([{ id: 'l' }])`), 0);
    const before = await lazyLeft(t, disk);
    t.is(await during(`things.insert(thing('f'))`), 1);
    t.deepEqual([before, await lazyLeft(t, disk)], [0, 1]);
  },
);

async function lazyLeft(t: ExecutionContext, disk: SyncedDisk): Promise<number> {
  const store = await openEmbeddedStore({ dataDir: join(disk.afterPowerFailure(), 'data') });
  t.teardown(() => store.close());
  return (await store.collection({ name: 'lazy', indexes: {} })).count({});
}

test.serial('a secret that was generated is the same after a power failure', async (t) => {
  const disk = syncedDisk(t);
  const text = `
    import { storedKeys } from './engine/platform/secrets/secrets.ts';
    console.log(storedKeys(${JSON.stringify(join(disk.path, 'data'))}, 'values').join());
    await new Promise(() => setInterval(() => {}, 1_000));
  `;
  const process = child(disk, text);
  const secret = await process.line();
  await process.kill('SIGKILL');
  t.deepEqual(storedKeys(join(disk.afterPowerFailure(), 'data'), 'values').join(), secret);
});

test.serial('a power failure after any sync of the first start leaves a directory that starts', async (t) => {
  const opened = (disk: SyncedDisk) => child(disk, `await things.insert(thing('first')); console.log('acknowledged');`);
  const whole = syncedDisk(t);
  const complete = opened(whole);
  await complete.ended;
  const count = whole.syncs().length;
  t.true(count > 5, `${count} syncs`);
  for (let after = 1; after <= count; after++) {
    const disk = syncedDisk(t, after);
    const killed = opened(disk);
    const isAcknowledged = (await killed.line()) === 'acknowledged';
    await killed.ended;
    const found = await left(t, disk);
    if (isAcknowledged) t.true(found.has('first'), `${after} of ${count} syncs`);
  }
});
