/** Facts of machines, their boots, and the time that passes for them. */
import test from 'ava';
import { FieldTime } from '../../../../engine/hardware/twin/machine/field-time.ts';
import { factsOfMachine, isOwnMac } from '../../../../engine/hardware/twin/machine/machine-facts.ts';
import { bootOf } from '../../../../engine/hardware/twin/pxe.ts';
import { shippedModels } from '../../../../engine/hardware/twin/read-model.ts';

const models = [...shippedModels().values()];

test('ten thousand machines have addresses, MACs and serial numbers of their own, in 127/8', (t) => {
  const all = Array.from({ length: 10_000 }, (_, index) => {
    const model = models[index % models.length];
    return factsOfMachine(3, index, model as NonNullable<typeof model>);
  });
  const addresses = all.flatMap(({ address, bmcAddress }) => [address, bmcAddress]);
  const unique = (values: readonly string[]) => new Set(values).size;
  t.is(unique(addresses), 20_000);
  t.true(addresses.every((address) => /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address)));
  const macs = all.flatMap(({ macs, bmcMac }) => [...macs, bmcMac]);
  t.is(unique(macs), macs.length);
  t.true(macs.every((mac) => isOwnMac(3, mac) && !isOwnMac(4, mac)));
  t.is(unique(all.map(({ serial }) => serial)), 10_000);
  t.is(unique(all.map(({ uuid }) => uuid)), 10_000);
  t.deepEqual(
    [all[0]?.name, all[19]?.name, all[20]?.name, all[9_999]?.name],
    ['r01s01', 'r01s20', 'r02s01', 'r500s20'],
  );
  t.deepEqual([all[9]?.pdu, all[10]?.pdu], ['p01a', 'p01b']);
});

test('field time passes as many times as quickly as real time, also from one process to the next', async (t) => {
  const real = Date.now();
  const before = new FieldTime({ first: 1_000, field: 5_000, real: real - 10_000, speed: 60 });
  t.true(before.now() >= 605_000 && before.now() < 605_000 + 60 * 60_000);
  const after = FieldTime.from(1, before.basis);
  t.true(after.now() >= 605_000, 'a change of speed keeps what has passed');
  t.is(after.basis.first, 1_000);
  t.is(before.timestampOf(5_000), `${new Date(real - 10_000).toISOString().slice(0, 19)}Z`);
  t.is(
    before.timestampOf(before.basis.field + 60 * 10_000),
    `${new Date(real).toISOString().slice(0, 19)}Z`,
    'now, not in ten minutes',
  );
  await t.throwsAsync(before.after(60_000_000, AbortSignal.abort(new Error('off'))), { message: 'off' });
  // Its timer keeps no process alive.
  const alive = setInterval(() => {}, 60_000);
  t.teardown(() => clearInterval(alive));
  await before.after(60, new AbortController().signal);
});

test('an iPXE script says what a machine boots', (t) => {
  t.deepEqual(bootOf('#!ipxe\nkernel http://h/vmlinuz initrd=a  nodewright.node=1 quiet\ninitrd x\nboot\n'), {
    kernel: 'http://h/vmlinuz',
    cmdline: 'initrd=a  nodewright.node=1 quiet',
  });
  t.is(bootOf('#!ipxe\necho nothing to do\nexit\n'), 'disk');
  t.is(bootOf('#!ipxe\n:ask\nsleep 5\nchain --replace http://h/profiles || goto ask\n'), 'again');
});
