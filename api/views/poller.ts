/** The view of a poller, and the library of their types. */

import type { PollerRecord } from '../../engine/api-port/index.ts';
import { pollerRecord } from '../../engine/api-port/pollers.ts';
import { pollerCommands, snmpAuthProtocols, snmpPrivProtocols, snmpVersions } from '../../engine/define/node.ts';
import { redactAll } from './common.ts';
import { projection } from './projection.ts';

export const pollerView = projection(pollerRecord, {
  name: ({ type }: PollerRecord) => `Pollers.${type.toUpperCase()}`,
  config: ({ config }: PollerRecord) => redactAll(config),
});

const key = (name: string, type: string, more: object = {}) => ({ key: name, type, required: false, ...more });
const secret = { description: 'encrypted in the store, and not shown' };
const host = key('host', 'string', { description: "without it, the node's obm applies, of SNMP its ibm" });

/** The types of pollers, with the keys of their configs. */
export const pollerLibrary = [
  {
    name: 'ipmi',
    node: true,
    config: [
      key('command', 'string', { enum: pollerCommands.ipmi, defaultsTo: 'sel' }),
      ...[host, key('port', 'integer', { defaultsTo: 623 }), key('user', 'string'), key('password', 'string', secret)],
      key('alerts', 'json'),
    ],
  },
  {
    name: 'redfish',
    node: true,
    config: [key('command', 'string', { enum: pollerCommands.redfish, defaultsTo: 'thermal' }), key('alerts', 'json')],
  },
  {
    name: 'snmp',
    node: false,
    config: [
      key('oids', 'string[]', { required: true }),
      ...[host, key('port', 'integer', { defaultsTo: 161 }), key('communityString', 'string', secret)],
      ...[key('version', 'string', { enum: snmpVersions }), key('user', 'string')],
      ...[key('authProtocol', 'string', { enum: snmpAuthProtocols, defaultsTo: 'sha' })],
      ...[key('authPassword', 'string', secret)],
      ...[key('privProtocol', 'string', { enum: snmpPrivProtocols, defaultsTo: 'aes' })],
      ...[key('privPassword', 'string', secret)],
    ],
  },
];
