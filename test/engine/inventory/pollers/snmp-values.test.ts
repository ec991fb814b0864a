/** SNMP values as texts, and configs of agents that can never be asked. */
import test from 'ava';
import { snmpOf, snmpViolations } from '../../../../engine/hardware/obm/snmp-settings.ts';
import { snmpText } from '../../../../engine/inventory/pollers/snmp-values.ts';

const COUNTER64 = 0x46;
const bytes = (hex: string) => Buffer.from(hex, 'hex');

test('counters of 64 bits are decimals', (t) => {
  for (const [hex, text] of [
    ['01bf0366b9', '7499638457'],
    ['00', '0'],
    ['', '0'],
    ['ffffffffffffffff', '18446744073709551615'],
  ] as const)
    t.is(snmpText({ oid: '1.3', type: COUNTER64, value: bytes(hex) }), text);
});

test('a MAC has colons, whatever its bytes look like; texts and other bytes are as they are', (t) => {
  const column = '1.3.6.1.2.1.2.2.1.6.1';
  t.is(snmpText({ oid: column, value: Buffer.from('switch') }), '73:77:69:74:63:68');
  t.is(snmpText({ oid: column, value: bytes('') }), '');
  t.is(snmpText({ oid: '1.3.6.1.4.1.9', value: bytes('c3bcc3bc7221') }), 'c3:bc:c3:bc:72:21');
  t.is(snmpText({ oid: '1.3.6.1.4.1.9', value: bytes('feffff722134') }), 'fe:ff:ff:72:21:34');
  t.is(snmpText({ oid: '1.3.6.1.4.1.9', value: Buffer.from('switch') }), 'switch');
  t.is(snmpText({ oid: '1.3.6.1.4.1.9', value: Buffer.from('Gerät 7') }), 'Gerät 7');
  t.is(snmpText({ oid: '1.3.6.1.4.1.9', value: bytes('fffe00') }), 'fffe00');
  t.is(snmpText({ oid: '1.3.6.1.4.1.9', value: 7 }), '7');
  t.is(snmpText({ oid: '1.3', value: Buffer.from(`${'x'.repeat(1_023)}\u{1f600}`) }), `${'x'.repeat(1_023)}\ufffd`);
});

test('an agent is asked by version 3 with a user, otherwise by 2c; a config that cannot work names what is missing', (t) => {
  const at = { host: '10.0.0.1' };
  t.deepEqual(snmpOf(at).access, { version: '2c', community: 'public' });
  t.like(snmpOf({ ...at, user: 'ann' }), { port: 161, access: { version: '3', user: 'ann', authPassword: undefined } });
  for (const [config, path] of [
    [{}, 'host'],
    [{ ...at, version: '4' }, 'version'],
    [{ ...at, version: '3' }, 'user'],
    [{ ...at, version: '2c', user: 'ann' }, 'user'],
    [{ ...at, user: 'ann', privPassword: 'long-enough' }, 'authPassword'],
    [{ ...at, user: 'ann', authPassword: 'short' }, 'authPassword'],
  ] as const)
    t.is(snmpViolations(config)[0]?.path, path, JSON.stringify(config));
  t.throws(() => snmpOf({}), { code: 'OBM_INVALID', message: /host/ });
});
