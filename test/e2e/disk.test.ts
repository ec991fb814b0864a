/** The daemon's disk is full for a while. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import { folders } from '../support/engine/definition-folders.ts';
import { putTried } from '../support/engine/trial-results.ts';
import { noSmallDisk, smallDisk } from '../support/faults/small-disk.ts';
import {
  allSucceed,
  Clients,
  chain,
  checkAnswers,
  idsOf,
  launch,
  noneTwice,
  written,
} from '../support/faults/workload.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';

const test = needing(noSmallDisk, 'mount');
const MIB = 256;
const FULL_MS = 6_000;
/** Together more than the database's log, 4 MiB. */
const names = ['a', 'b', 'c', 'd'];
const FILE_BYTES = 8 * 1_024 * 1_024;

async function onSmallDisk(t: ExecutionContext) {
  const disk = await smallDisk(t, MIB);
  const { inside: dataDir, enter } = disk;
  await putTried(disk.path);
  return { disk, daemon: await startDaemonProcess(t, { config: { ...folders, dataDir }, enter }) };
}

test.serial(
  'on a full disk launches get 503, reads work, and accepted launches succeed when space is free again',
  async (t) => {
    const { disk, daemon } = await onSmallDisk(t);
    const ledger = join(folder(t), 'once');
    t.is(
      (await daemon.api('PUT', '/workflows/graphs', chain('Graph.Once', 'Task.Fixture.WriteOnce', ledger, 500))).status,
      201,
    );
    const begun = await Promise.all(Array.from({ length: 6 }, () => launch(daemon, 'Graph.Once')));
    await written(ledger, 8);

    const clients = new Clients({
      launch: () => daemon.api('POST', '/workflows?name=Graph.Once', {}),
      get: () => daemon.api('GET', `/workflows/${begun[0]}`),
      notify: () => daemon.southbound('POST', '/notification', { n: 1 }),
      add: () => daemon.api('POST', '/nodes', { type: 'compute', name: 'n' }),
    });
    disk.fill();
    await setTimeout(FULL_MS);
    const ready = await daemon.root('GET', '/readyz');
    t.is(ready.status, 503);
    t.regex(ready.body.message, /the disk of the data directory is full/);
    const full = await clients.stop();
    for (const what of ['launch', 'notify', 'add']) {
      const own = full.filter((answer) => answer.what === what);
      t.true(checkAnswers(t, own, [201]).includes(503), what);
    }
    t.deepEqual(
      checkAnswers(
        t,
        full.filter(({ what }) => what === 'get'),
        [200],
      ),
      [200],
    );
    disk.free();
    const after = await launch(daemon, 'Graph.Once');
    await allSucceed(t, daemon, [...begun, ...idsOf(full), after]);
    await noneTwice(t, ledger);
  },
);

test.serial(
  'a daemon with a full disk does not start, logs the reason, and starts when space is free again',
  async (t) => {
    const { disk, daemon } = await onSmallDisk(t);
    const id = await launch(daemon, 'Graph.noop-example');
    await daemon.kill('SIGKILL');
    disk.fill();
    await t.throwsAsync(daemon.start(), { message: /ended with 1/ });
    disk.free();
    await daemon.start();
    await allSucceed(t, daemon, [id]);
  },
);

test.serial('on a full disk files are removed or get 503, and acknowledged removals survive a kill -9', async (t) => {
  const { disk, daemon } = await onSmallDisk(t);
  for (const name of names) t.is((await daemon.api('PUT', `/files/${name}`, randomBytes(FILE_BYTES))).status, 201);
  disk.fill();
  const removed: string[] = [];
  for (const name of names) {
    const { status } = await daemon.api('DELETE', `/files/${name}`);
    t.true([204, 503].includes(status), `${status}`);
    if (status === 204) removed.push(name);
  }
  await daemon.kill('SIGKILL');
  disk.free();
  await daemon.start();
  for (const name of removed) t.is((await daemon.api('GET', `/files/metadata/${name}`)).status, 404, name);
  t.is((await daemon.api('PUT', '/files/after', Buffer.from('there is room'))).status, 201);
});

test.serial('an error of the disk ends the daemon with 1, and its acknowledged writes survive', async (t) => {
  const dataDir = folder(t);
  await putTried(dataDir);
  const config = { ...folders, dataDir };
  // A file may not grow beyond 60,000 blocks, which SQLite does not take for a full disk.
  const limited = await startDaemonProcess(t, { config, enter: ['sh', '-c', 'ulimit -f 60000; exec "$@"', 'sh'] });
  const put: string[] = [];
  for (let n = 0; n < 20; n++) {
    const answer = await limited.api('PUT', `/files/f${n}`, randomBytes(FILE_BYTES)).catch(() => undefined);
    if (answer?.status !== 201) break;
    put.push(`f${n}`);
  }
  t.is(await limited.ended(), 1);
  t.regex(
    limited.errors.join('\n'),
    /nodewright: the database has ended: .*disk I\/O error.*; fix the cause and restart/,
  );
  t.true(put.length > 0);
  const daemon = await startDaemonProcess(t, { config });
  for (const name of put) t.is((await daemon.api('GET', `/files/metadata/${name}`)).status, 200, name);
});
