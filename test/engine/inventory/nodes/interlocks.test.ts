/** Interlocks: they block their node until they are released, expire, or are overridden. */
import test from 'ava';
import type { ObmDriver } from '../../../../engine/hardware/obm/driver.ts';
import { noopObm } from '../../../../engine/hardware/obm/noop-driver.ts';
import {
  Interlocks,
  interlockedDriver,
  interlockSpec,
  type StoredInterlock,
} from '../../../../engine/inventory/nodes/interlocks.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const open = async () => new Interlocks(await new MemoryStore().collection<StoredInterlock>(interlockSpec));
const soon = () => new Date(Date.now() + 60_000).toISOString();
const entry = (id: string) => ({ id, reason: `${id} is busy.`, until: soon() });
const free = async () => {};
const override = { force: true, by: 'erika', why: 'fire' } as const;

test('an interlock blocks only its node, until it is released', async (t) => {
  const interlocks = await open();
  await interlocks.engage('n', entry('one'));
  await interlocks.engage('n', entry('one'));
  await interlocks.engage('n', entry('two'));
  const error = await t.throwsAsync(interlocks.check('n'));
  t.like(error, { code: 'NODE_INTERLOCKED', retry: false });
  t.regex(error?.message ?? '', /one is busy\. two is busy\. Nothing was done to the node/);
  t.is(await interlocks.check('m'), undefined);
  await interlocks.release('one');
  await t.throwsAsync(interlocks.check('n'));
  await interlocks.release('two');
  await interlocks.release('two');
  t.is(await interlocks.check('n'), undefined);
});

test('an interlock that is not released expires', async (t) => {
  const interlocks = await open();
  await interlocks.engage('n', { ...entry('old'), until: new Date(Date.now() - 1).toISOString() });
  t.is(await interlocks.check('n'), undefined);
  await interlocks.engage('n', entry('new'));
  t.deepEqual(
    (await interlocks.of('n')).map(({ id }) => id),
    ['new'],
  );
});

test('an override passes, and reports the interlock that it overrode', async (t) => {
  const interlocks = await open();
  const sent: string[] = [];
  const obm: ObmDriver = {
    ...noopObm,
    async power(action, _signal, commit) {
      await commit();
      sent.push(action);
    },
  };
  await interlocks.engage('n', entry('one'));
  const { signal } = new AbortController();
  await t.throwsAsync(interlockedDriver(obm, 'n', interlocks).power('off', signal, free), { code: 'NODE_INTERLOCKED' });
  t.deepEqual(sent, []);
  const forced = interlockedDriver(obm, 'n', interlocks, override);
  await forced.power('off', signal, free);
  t.deepEqual(sent, ['off']);
  t.like(forced.usedOverride, { ...override, reasons: ['one is busy.'] });
  await interlockedDriver(obm, 'n', interlocks).boot({ device: 'pxe' }, signal);
});

test('an interlock that is engaged while a command waits for its turn stops the command', async (t) => {
  const interlocks = await open();
  const waiting: ObmDriver = {
    ...noopObm,
    async power(_action, _signal, commit) {
      await interlocks.engage('n', entry('one'));
      await commit();
      t.fail('it was sent');
    },
  };
  const power = interlockedDriver(waiting, 'n', interlocks).power('off', new AbortController().signal, free);
  await t.throwsAsync(power, { code: 'NODE_INTERLOCKED' });
});
