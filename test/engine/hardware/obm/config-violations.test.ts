/** Configs of obms and ibms with which nothing can ever be reached, and those that may work. */
import test from 'ava';
import type { AccessService } from '../../../../engine/api-port/index.ts';
import { configViolations } from '../../../../engine/hardware/obm/obm-settings.ts';

const bmc = { host: '10.1.1.1', user: 'root', password: 'calvin' };

const useless: [AccessService, Record<string, unknown>, string][] = [
  ['ipmi-obm-service', {}, 'host'],
  ['ipmi-obm-service', { ...bmc, host: '' }, 'host'],
  ['ipmi-obm-service', { ...bmc, host: '999.1.1.1' }, 'host'],
  ['ipmi-obm-service', { ...bmc, password: '' }, 'password'],
  ['ipmi-obm-service', { ...bmc, user: undefined }, 'user'],
  ['ipmi-obm-service', { ...bmc, password: 'x'.repeat(21) }, 'password'],
  ['redfish-obm-service', {}, 'password'],
  ['redfish-obm-service', { user: 'root', password: 'calvin' }, 'uri'],
  ['redfish-obm-service', { ...bmc, uri: 'https://999.1.1.1', host: undefined }, 'uri'],
  ['redfish-obm-service', { ...bmc, password: '' }, 'password'],
  ['ssh-ibm-service', { host: '10.1.1.1' }, 'user'],
  ['snmp-ibm-service', { host: '10.1.1.1.1' }, 'host'],
];
const good: [AccessService, Record<string, unknown>][] = [
  ['noop-obm-service', {}],
  ['ipmi-obm-service', bmc],
  ['ipmi-obm-service', { ...bmc, host: '00:11:22:33:44:55', user: undefined, username: 'root' }],
  ['redfish-obm-service', bmc],
  ['redfish-obm-service', { ...bmc, host: '00:11:22:33:44:55' }],
  ['redfish-obm-service', { ...bmc, host: 'fe80::1' }],
  ['redfish-obm-service', { uri: 'https://10.1.1.1:8443/redfish/v1', username: 'root', password: 'calvin' }],
  ['ssh-ibm-service', { host: '10.1.1.1', user: 'root' }],
  ['snmp-ibm-service', { host: '10.1.1.1', community: 'public' }],
];
const given = (config: object) => JSON.parse(JSON.stringify(config)) as Record<string, unknown>;

test('a config that can never work names what is wrong', (t) => {
  for (const [service, config, path] of useless) {
    const paths = configViolations(service, given(config)).map((violation) => violation.path);
    t.true(paths.includes(path), `${service} ${JSON.stringify(config)}: ${paths}`);
  }
});

test('a config that may work is accepted', (t) => {
  for (const [service, config] of good)
    t.deepEqual(configViolations(service, given(config)), [], `${service} ${JSON.stringify(config)}`);
});
