/**
 * Every event that subscribers receive, by type and action, with the fields of its `data`. An event that is not in the
 * list does not compile; `engine/EVENTS.md` is generated from it.
 */

export interface EventMeaning {
  /** When the event is published. */
  when: string;
  /** The content of `typeId`. */
  typeId: string;
  /** By field of `data`: its content. A field without a value may be absent. */
  data: Readonly<Record<string, string>>;
}

const ofNode = { nodeId: 'id of the node', nodeType: 'type of the node' };
const ofSku = { ...ofNode, oldSku: 'id of the previous SKU, or null', newSku: 'id of the new SKU, or null' };
const ofGraph = {
  graphId: 'id of the workflow',
  graphName: 'name of its graph',
  status: 'status of the workflow',
  progress: '`{ value, maximum, percentage, description }`',
  taskProgress: '`{ graphId, taskId, taskName, label, state, progress }` of the task that caused the event',
  error: 'error of a failed workflow',
};
const node = 'id of the node';
const workflow = 'id of the workflow';

export const eventList = {
  heartbeat: {
    updated: {
      when: 'At the interval `heartbeatIntervalSec`, by each process.',
      typeId: 'fully qualified host name and `nodewright`, separated by a dot',
      data: {
        name: '`nodewright`',
        title: 'title of the process',
        pid: 'id of the process',
        uid: 'id of its user',
        platform: 'operating system',
        release: 'release of Node.js',
        versions: 'versions of Node.js and its libraries',
        memoryUsage: '`{ rss, heapTotal, heapUsed }` in bytes',
        currentTime: 'time of this heartbeat',
        nextUpdate: 'time of the next heartbeat',
        lastUpdate: 'time of the previous heartbeat',
        cpuUsage: 'share of one processor, such as `"25%"`',
      },
    },
  },
  node: {
    added: { when: 'A node was created or registered.', typeId: node, data: ofNode },
    updated: { when: 'A node, its tags or its relations changed.', typeId: node, data: ofNode },
    removed: { when: 'A node was deleted.', typeId: node, data: ofNode },
    discovered: {
      when: 'The discovery of a node ended successfully.',
      typeId: node,
      data: { ...ofNode, ipMacAddresses: 'list of `{ macAddress, ipAddress? }` of its lookups' },
    },
    'obms.updated': { when: 'An obm of a node was set or deleted.', typeId: node, data: ofNode },
    'sku.assigned': { when: 'A node without a SKU got one.', typeId: node, data: ofSku },
    'sku.unassigned': { when: 'A node lost its SKU.', typeId: node, data: ofSku },
    'sku.updated': { when: 'A node got another SKU.', typeId: node, data: ofSku },
    'skus.progress.updated': {
      when: 'While all nodes are reclassified, without a node.',
      typeId: 'generation of the SKUs',
      data: {
        generation: 'generation of the SKUs',
        status: '`running`, at the end `succeeded`',
        progress: '`{ value, maximum, percentage, description }`',
        changed: 'number of nodes with another SKU',
      },
    },
    alerts: {
      when: 'A BMC sent a Redfish alert. The event has the severity of the alert.',
      typeId: node,
      data: {
        nodeId: 'id of the node; the fields of the alert itself are next to this one',
        sourceIpAddress: 'address of the sender',
        macAddress: 'MAC of the node, or empty',
        sourceMacAddress: 'MAC of the BMC, or empty',
        ChassisName: 'from the `dmi` catalog, or empty',
        ServiceTag: 'from the `dmi` catalog, or empty',
        SN: 'from the `dmi` catalog, or empty',
      },
    },
    'southbound.refused': {
      when: 'A request in the name of a node was rejected, or got no key. At most once a minute for node and address.',
      typeId: node,
      data: { nodeId: 'id of the node', address: 'address of the sender', reason: 'why it was rejected' },
    },
  },
  polleralert: {
    'sel.updated': {
      when: "A poller found an entry in the event log of a node's BMC.",
      typeId: 'id of the poller',
      data: { pollerName: '`sel`', nodeId: 'id of the node', alert: 'the entry, with the fields that ipmitool prints' },
    },
  },
  hook: {
    test: {
      when: 'A user requested a test of a web hook. It is delivered to this hook only, whatever its filters, and is not in the log.',
      typeId: 'id of the hook',
      data: { hookId: 'id of the hook', hookName: 'name of the hook, or null' },
    },
  },
  graph: {
    started: { when: 'A workflow started.', typeId: workflow, data: ofGraph },
    'progress.updated': {
      when: 'A task of a workflow changed its state or reported progress.',
      typeId: workflow,
      data: ofGraph,
    },
    finished: { when: 'A workflow ended.', typeId: workflow, data: ofGraph },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, EventMeaning>>>>;

type EventList = typeof eventList;
export type EventType = keyof EventList;
export type ActionOf<Type extends EventType> = keyof EventList[Type] & string;
export type EventAction = { [Type in EventType]: ActionOf<Type> }[EventType];

type FieldsOf<Type extends EventType> = EventList[Type][keyof EventList[Type]] extends infer Meaning
  ? Meaning extends { data: infer Data }
    ? keyof Data & string
    : never
  : never;
/** The fields that the data of an event may have. */
export type EventField = { [Type in EventType]: FieldsOf<Type> }[EventType];
