import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { NodewrightError } from '../../../engine/define/errors.ts';
import { lockDataDir } from '../../../engine/store/lock.ts';
import { type Child, startChild } from '../../support/child.ts';
import { folder } from '../../support/folder.ts';

/** Takes the lock when told to, and tells how it went. */
const taker = (dataDir: string): Child =>
  startChild(`
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
  `);

const locked = { instanceOf: NodewrightError, code: 'DATA_DIR_LOCKED' };

test('a directory that is held is refused, naming the holder', (t) => {
  const dataDir = folder(t);
  const lock = lockDataDir(dataDir);
  t.throws(() => lockDataDir(dataDir), { ...locked, message: new RegExp(`held by process ${process.pid}`) });
  lock.release();
  lock.release();
  lockDataDir(dataDir).release();
  t.is(readdirSync(join(dataDir, 'lock')).length, 1);
});

test('a lock whose holder was killed is free at once', async (t) => {
  const dataDir = folder(t);
  const child = taker(dataDir);
  await child.line();
  child.say('take');
  t.is(await child.line(), 'held');
  t.throws(() => lockDataDir(dataDir), { ...locked, message: new RegExp(`process ${child.pid},`) });
  await child.kill('SIGKILL');
  t.notThrows(() => lockDataDir(dataDir).release());
});

test("a lock whose holder's pid belongs to another process by now is free", (t) => {
  const dataDir = folder(t);
  mkdirSync(join(dataDir, 'lock'));
  const holder = { pid: process.ppid, began: 'another boot/1', released: false };
  writeFileSync(join(dataDir, 'lock', '7'), JSON.stringify(holder));
  t.notThrows(() => lockDataDir(dataDir).release());
  t.deepEqual(readdirSync(join(dataDir, 'lock')), ['8']);
});

test('a lock file that a power cut left empty is free', (t) => {
  const dataDir = folder(t);
  mkdirSync(join(dataDir, 'lock'));
  writeFileSync(join(dataDir, 'lock', '1'), '');
  t.notThrows(() => lockDataDir(dataDir).release());
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
