/** The words for nodes: their types, how they hang together, and how their power is reached. */

export const nodeTypes = ['compute', 'switch', 'rack', 'enclosure', 'pdu', 'mgmt', 'dae', 'compute-container'] as const;

/** Each relation, and the one that its targets then show. */
export const relationPairs = {
  contains: 'containedBy',
  encloses: 'enclosedBy',
  powers: 'poweredBy',
  manages: 'managedBy',
} as const;

/** Whether a user entered a lookup, or a request on the network of the nodes made it. */
export const lookupSources = ['operator', 'observed'] as const;

export const pollerTypes = ['ipmi'] as const;

export const obmServices = ['ipmi-obm-service', 'redfish-obm-service', 'noop-obm-service'] as const;
export type ObmService = (typeof obmServices)[number];
