/** Configs of obms and ibms with which nothing can ever be reached, and those that may work. */
import test from 'ava';
import type { AccessService } from '../../../../engine/api-port/index.ts';
import { configViolations } from '../../../../engine/hardware/obm/obm-settings.ts';

const bmc = { host: '10.1.1.1', user: 'root', password: 'calvin' };

const media = { ...bmc, bootFrom: 'virtual-media' };

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
  ['redfish-obm-service', { ...bmc, bootFrom: 'floppy' }, 'bootFrom'],
  ['redfish-obm-service', { ...bmc, network: { address: '10.2.0.7/24' } }, 'network'],
  ['redfish-obm-service', { ...media, network: { address: '10.2.0.7' } }, 'network.address'],
  ['redfish-obm-service', { ...media, network: { address: '10.2.0.7/33' } }, 'network.address'],
  ['redfish-obm-service', { ...media, network: { address: '10.2.0/24' } }, 'network.address'],
  ['redfish-obm-service', { ...media, network: { address: '10.2.0.7/24', gateway: '10.3.0.1' } }, 'network.gateway'],
  ['redfish-obm-service', { ...media, network: { address: '10.2.0.7/24', gateway: 'fd00::1' } }, 'network.gateway'],
  ['redfish-obm-service', { ...media, network: { address: '10.2.0.7/24', dns: ['10.2.0'] } }, 'network.dns'],
  ['redfish-obm-service', { ...media, network: { address: '10.2.0.7/24', vlan: 4_095 } }, 'network.vlan'],
  ['redfish-obm-service', { ...media, network: { address: '10.2.0.7/24', mac: '52:54\nkey=1' } }, 'network.mac'],
  ['ipmi-obm-service', media, 'bootFrom'],
  ['noop-obm-service', media, 'bootFrom'],
  ['pdu-obm-service', media, 'bootFrom'],
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
  ['redfish-obm-service', media],
  [
    'redfish-obm-service',
    {
      ...media,
      network: { mac: '52:54:00:AA:00:01', address: '10.2.0.7/24', gateway: '10.2.0.1', dns: ['10.0.0.53'], vlan: 12 },
    },
  ],
  ['redfish-obm-service', { ...media, network: { address: 'fd00:2::7/64', gateway: 'fd00:2::1' } }],
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
