/** Objects of a real SNMP agent, by each version. */
import { networkInterfaces } from 'node:os';
import type { ExecutionContext } from 'ava';
import { snmpOf } from '../../../../engine/hardware/obm/snmp-settings.ts';
import { readTrees } from '../../../../engine/inventory/pollers/snmp.ts';
import { needing } from '../../../support/ava/needs.ts';
import { COMMUNITY, noSnmpd, startSnmpd, TEXT_MAC, USERS } from '../../../support/servers/snmpd.ts';

const test = needing(noSnmpd);
const LIMIT_MS = 60_000;
const oids = [
  'IF-MIB::ifHCInOctets',
  'IF-MIB::ifPhysAddress',
  'IF-MIB::ifDescr.1',
  'SNMPv2-MIB::sysName',
  '.1.3.6.1.9',
];

const read = (config: object, of: readonly string[] = oids) =>
  readTrees(snmpOf({ ...config }), of, LIMIT_MS, new AbortController().signal);

test.serial(
  'names, counters, MACs and texts are read by each version and security level',
  async (t: ExecutionContext) => {
    const at = await startSnmpd(t);
    const loopback = networkInterfaces().lo?.[0] === undefined ? undefined : 'lo';
    for (const access of [
      { community: COMMUNITY },
      { version: '1', community: COMMUNITY },
      ...Object.values(USERS),
      { version: '3', ...USERS.auth },
    ]) {
      const [octets, macs, name, system, none] = await read({ ...at, ...access });
      const counters = Object.values(octets?.values ?? {});
      // Version 1 has no counters of 64 bits.
      t.is(counters.length > 0, !('version' in access) || access.version !== '1');
      for (const counter of counters) t.regex(counter, /^\d+$/);
      t.is(macs?.values[TEXT_MAC.oid], TEXT_MAC.mac);
      for (const mac of Object.values(macs?.values ?? {})) t.regex(mac, /^(?:[0-9a-f]{2}(?::[0-9a-f]{2})*)?$/);
      t.deepEqual(name?.values, { '1.3.6.1.2.1.2.2.1.2.1': loopback ?? name?.values['1.3.6.1.2.1.2.2.1.2.1'] });
      t.deepEqual(system?.values, { '1.3.6.1.2.1.1.5.0': 'rack switch 7' });
      t.deepEqual(none, { source: '.1.3.6.1.9', values: {} });
    }
    const wrong = { ...at, ...USERS.priv, authPassword: 'wrong-secret' };
    await t.throwsAsync(read(wrong, oids.slice(0, 1)), {
      code: 'OBM_UNREACHABLE',
      message: /gave no answer: Wrong Digest/,
    });
  },
);
