/** The vocabulary of nodes: types, relations and obm services. */
import { isOneOf } from '../vocabulary/one-of.ts';

export const nodeTypes = [
  ...(['compute', 'switch', 'rack', 'enclosure', 'pdu', 'mgmt', 'dae', 'compute-container'] as const),
  ...(['iom', 'storage', 'cooling', 'power', 'redfish'] as const),
] as const;
export type NodeType = (typeof nodeTypes)[number];

/** Each relation, with the reverse relation of its targets. */
export const relationPairs = {
  contains: 'containedBy',
  encloses: 'enclosedBy',
  powers: 'poweredBy',
  manages: 'managedBy',
} as const;

/** A lookup was entered by a user, or observed in a request on the nodes' network. */
export const lookupSources = ['operator', 'observed'] as const;

/** The parts of a BMC that a poller of each type reads. IPMI: the event log, the sensors, the chassis. Redfish: also logs. */
export const pollerCommands = {
  ipmi: ['sel', 'sdr', 'chassis'],
  redfish: ['thermal', 'power', 'systems.logservices', 'managers.logservices'],
  snmp: [],
} as const;
/** They read the new entries of logs. */
export const logCommands = ['sel', 'systems.logservices', 'managers.logservices'] as const;
/** Objects that RackHD's metrics of SNMP pollers read. */
export const snmpMetrics: Readonly<Record<string, readonly string[]>> = {
  'snmp-interface-bandwidth-utilization': ['IF-MIB::ifHCInOctets', 'IF-MIB::ifHCOutOctets', 'IF-MIB::ifHighSpeed'],
  'snmp-interface-state': ['IF-MIB::ifAdminStatus', 'IF-MIB::ifOperStatus'],
  // hrProcessorLoad; hrStorageSize and hrStorageUsed.
  'snmp-processor-load': ['1.3.6.1.2.1.25.3.3.1.2'],
  'snmp-memory-usage': ['1.3.6.1.2.1.25.2.3.1.5', '1.3.6.1.2.1.25.2.3.1.6'],
  'snmp-txrx-counters': ['IF-MIB::ifInErrors', 'IF-MIB::ifOutErrors', 'IF-MIB::ifHCInOctets', 'IF-MIB::ifHCOutOctets'],
  // entPhySensorValue and entPhySensorOperStatus.
  'snmp-switch-sensor-status': ['1.3.6.1.2.1.99.1.1.1.4', '1.3.6.1.2.1.99.1.1.1.5'],
  'snmp-pdu-sensor-status': ['1.3.6.1.2.1.99.1.1.1.4', '1.3.6.1.2.1.99.1.1.1.5'],
  // The power of APC's PDUs (rPDU2PhaseStatusPower), and of Raritan's inlets (measurementsInletSensorValue).
  'snmp-pdu-power-status': ['1.3.6.1.4.1.318.1.1.26.6.3.1.7', '1.3.6.1.4.1.13742.6.5.2.3.1.4'],
};
export const pollerTypes = ['ipmi', 'redfish', 'snmp'] as const satisfies (keyof typeof pollerCommands)[];

/** A kind of pollers that there is; the command of SNMP is a metric of RackHD. */
export type PollerKind =
  | { type: 'ipmi' | 'redfish'; command: (typeof pollerCommands)['ipmi' | 'redfish'][number] }
  | { type: 'snmp'; command: string };

function isPollerKind(kind: { type: unknown; command: string }): kind is PollerKind {
  const { type, command } = kind;
  if (type === 'snmp') return Object.hasOwn(snmpMetrics, command);
  return (type === 'ipmi' || type === 'redfish') && isOneOf<string>(pollerCommands[type], command);
}

/** Returns the kinds of pollers here that read what a wanted one of RackHD reads; empty: there is none. */
export function pollerKindsFor(wanted: { type: string; command: string }): PollerKind[] {
  if (wanted.type === 'wsman' && wanted.command === 'powerthermal')
    return [
      { type: 'redfish', command: 'thermal' },
      { type: 'redfish', command: 'power' },
    ];
  return isPollerKind(wanted) ? [wanted] : [];
}

/** In the order in which a task that names none selects among those of a node. */
export const obmServices = [
  ...(['ipmi-obm-service', 'redfish-obm-service'] as const),
  ...(['pdu-obm-service', 'redfish-pdu-obm-service', 'noop-obm-service'] as const),
] as const;
/** They switch the outlets that feed a node. */
export const outletServices = ['pdu-obm-service', 'redfish-pdu-obm-service'] as const satisfies ObmService[];
/** Power distribution units whose outlets are switched by SNMP, by the MIB of their makers. */
export const pduModels = [
  ...(['apc', 'apc-rpdu2', 'apc-masterswitch', 'cyberpower', 'eaton'] as const),
  ...(['raritan', 'servertech', 'servertech-pro'] as const),
] as const;
export type PduModel = (typeof pduModels)[number];
/** In-band management: settings by which a running system is reached. */
export const snmpVersions = ['1', '2c', '3'] as const;
export const snmpAuthProtocols = ['md5', 'sha', 'sha224', 'sha256', 'sha384', 'sha512'] as const;
/** `aes256b` and `aes256r` are the two ways in which makers extend keys: Blumenthal's, and Reeder's of Cisco. */
export const snmpPrivProtocols = ['des', 'aes', 'aes256b', 'aes256r'] as const;

export const ibmServices = ['ssh-ibm-service', 'snmp-ibm-service'] as const;
export type IbmService = (typeof ibmServices)[number];
export type ObmService = (typeof obmServices)[number];
/** How a node is reached: through its BMC, or through its running system. */
export type AccessService = ObmService | IbmService;
