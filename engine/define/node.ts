/** The vocabulary of nodes: types, relations and obm services. */

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

/** The parts of a BMC that a poller of each type reads. IPMI: the event log, the sensors, the chassis. */
export const pollerCommands = { ipmi: ['sel', 'sdr', 'chassis'], redfish: ['thermal', 'power'], snmp: [] } as const;
export const pollerTypes = ['ipmi', 'redfish', 'snmp'] as const satisfies (keyof typeof pollerCommands)[];

/** In the order in which a task that names none selects among those of a node. */
export const obmServices = ['ipmi-obm-service', 'redfish-obm-service', 'pdu-obm-service', 'noop-obm-service'] as const;
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
