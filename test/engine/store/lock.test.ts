import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { NodewrightError } from '../../../engine/define/errors.ts';
import { lockDataDir } from '../../../engine/store/lock.ts';
import { type Child, startChild } from '../../support/child.ts';
import { folder } from '../../support/folder.ts';
import { needing } from '../../support/needing.ts';

/** Takes the lock when told to, and tells how it went. */
const taker = (dataDir: string, enter: readonly string[] = []): Child =>
  startChild(
    `
    import { createInterface } from 'node:readline';
    import { lockDataDir } from './engine/store/lock.ts';
    console.log('ready');
    for await (const line of createInterface({ input: process.stdin })) {
      try {
        lockDataDir(${JSON.stringify(dataDir)});
        console.log('held');
      } catch (error) {
        console.log(error.code);
      }
    }
  `,
    {},
    enter,
  );

const isRoot = process.getuid?.() === 0;
const unsharePid = ['unshare', ...(isRoot ? [] : ['--user', '--map-root-user']), '--pid', '--fork', '--kill-child'];
const [unshare = '', ...unshareOptions] = unsharePid;
const noPidNamespace =
  spawnSync(unshare, [...unshareOptions, 'true'], { stdio: 'ignore' }).status === 0
    ? undefined
    : 'no pid namespace can be made here';

const locked = { instanceOf: NodewrightError, code: 'DATA_DIR_LOCKED' };

test('a directory that is held is refused, naming the holder', (t) => {
  const dataDir = folder(t);
  const lock = lockDataDir(dataDir);
  t.throws(() => lockDataDir(dataDir), { ...locked, message: new RegExp(`held by process ${process.pid}`) });
  lock.release();
  lock.release();
  lockDataDir(dataDir).release();
});

test('a lock whose holder was killed is free at once', async (t) => {
  const dataDir = folder(t);
  const child = taker(dataDir);
  await child.line();
  child.say('take');
  t.is(await child.line(), 'held');
  t.throws(() => lockDataDir(dataDir), { ...locked, message: new RegExp(`process ${child.pid} of `) });
  await child.kill('SIGKILL');
  t.notThrows(() => lockDataDir(dataDir).release());
});

const apart = needing(noPidNamespace, 'mount');

apart.serial('a lock holds against a process in another pid namespace, and is free when that is killed', async (t) => {
  const dataDir = folder(t);
  const child = taker(dataDir, unsharePid);
  t.teardown(() => child.kill('SIGKILL'));
  await child.line();
  child.say('take');
  t.is(await child.line(), 'held');
  t.throws(() => lockDataDir(dataDir), locked);
  await child.kill('SIGKILL');
  // The process in the namespace dies with the one outside, a moment later, and ends what it printed to.
  t.is(await child.line(), undefined);
  t.notThrows(() => lockDataDir(dataDir).release());
});

test('the files of an earlier lock, and a note of its holder that is not whole, do no harm', (t) => {
  const dataDir = folder(t);
  mkdirSync(join(dataDir, 'lock'));
  for (const name of ['7', 'holder']) writeFileSync(join(dataDir, 'lock', name), '');
  const lock = lockDataDir(dataDir);
  writeFileSync(join(dataDir, 'lock', 'holder'), '');
  t.throws(() => lockDataDir(dataDir), { ...locked, message: /held by another process/ });
  lock.release();
});

test('of many that start at the same moment exactly one gets the lock, again and again', async (t) => {
  const dataDir = folder(t);
  const children = Array.from({ length: 6 }, () => taker(dataDir));
  t.teardown(() => Promise.all(children.map((child) => child.kill('SIGKILL'))));
  await Promise.all(children.map((child) => child.line()));
  for (let left = children.length; left > 1; left--) {
    for (const child of children) child.say('take');
    const answers = await Promise.all(children.map((child) => child.line()));
    t.deepEqual(answers.toSorted(), [...Array(left - 1).fill('DATA_DIR_LOCKED'), 'held']);
    // The next round is about a lock that its holder left when it was killed.
    const [holder] = children.splice(answers.indexOf('held'), 1);
    await holder?.kill('SIGKILL');
  }
});
