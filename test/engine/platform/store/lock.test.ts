import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { lockDataDir } from '../../../../engine/platform/store/lock.ts';
import { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import { folder } from '../../../support/ava/folder.ts';
import { needing } from '../../../support/ava/needs.ts';
import { type Child, startChild } from '../../../support/faults/child.ts';

/** Takes the lock on request and reports the result. */
const taker = (dataDir: string, enter: readonly string[] = []): Child =>
  startChild(
    `
    import { createInterface } from 'node:readline';
    import { lockDataDir } from './engine/platform/store/lock.ts';
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
    : 'a pid namespace cannot be created here';

const locked = { instanceOf: NodewrightError, code: 'DATA_DIR_LOCKED' };

test('a locked directory is rejected with the name of the holder', (t) => {
  const dataDir = folder(t);
  const lock = lockDataDir(dataDir);
  t.throws(() => lockDataDir(dataDir), { ...locked, message: new RegExp(`held by process ${process.pid}`) });
  lock.release();
  lock.release();
  lockDataDir(dataDir).release();
});

test('a lock of a killed holder is free immediately', async (t) => {
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

apart.serial('a lock excludes a process in another pid namespace, and is free when its holder is killed', async (t) => {
  const dataDir = folder(t);
  const child = taker(dataDir, unsharePid);
  t.teardown(() => child.kill('SIGKILL'));
  await child.line();
  child.say('take');
  t.is(await child.line(), 'held');
  t.throws(() => lockDataDir(dataDir), locked);
  await child.kill('SIGKILL');
  // The process in the namespace dies shortly after the one outside, and closes its output.
  t.is(await child.line(), undefined);
  t.notThrows(() => lockDataDir(dataDir).release());
});

test('the files of an earlier lock, and an incomplete note of its holder, do no harm', (t) => {
  const dataDir = folder(t);
  mkdirSync(join(dataDir, 'lock'));
  for (const name of ['7', 'holder']) writeFileSync(join(dataDir, 'lock', name), '');
  const lock = lockDataDir(dataDir);
  writeFileSync(join(dataDir, 'lock', 'holder'), '');
  t.throws(() => lockDataDir(dataDir), { ...locked, message: /held by another process/ });
  lock.release();
});

test('exactly one of many processes that start at the same time gets the lock, repeatedly', async (t) => {
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
