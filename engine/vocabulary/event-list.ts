/**
 * Every event that subscribers receive, by type and action, with the fields of its `data` and their JSON Schemas. An event
 * that is not in the list does not compile; `docs/reference/events.md` and the AsyncAPI document are generated from it.
 */

import {
  healthStates,
  rolloutStatuses,
  ruleRunReasons,
  ruleRunStatuses,
  runStatuses,
  taskStates,
  ticketStatuses,
  workflowStatuses,
} from './states.ts';

/** The JSON Schema of a field. */
interface FieldSchema {
  /** Its content. */
  readonly description: string;
  readonly [keyword: string]: unknown;
}

export interface EventMeaning {
  /** When the event is published. */
  readonly when: string;
  /** The content of `typeId`. */
  readonly typeId: string;
  /** By field of `data`. A field without a value may be absent. */
  readonly data: Readonly<Record<string, FieldSchema>>;
  /** `data` has further fields. */
  readonly isOpen?: true;
  /** It is delivered to one web hook, and not published. */
  readonly isPrivate?: true;
}

const text = (description: string) => ({ type: 'string', description });
const textOrNull = (description: string) => ({ type: ['string', 'null'], description });
const number = (description: string) => ({ type: 'number', description });
const time = (description: string) => ({ type: 'string', format: 'date-time', description });
const object = (description: string, properties: Readonly<Record<string, object>> = {}) => ({
  type: 'object',
  properties,
  description,
});

const shownProgress = {
  value: { type: 'number' },
  maximum: { type: 'number' },
  percentage: { type: 'string', pattern: '^[0-9]+%$' },
  description: { type: 'string' },
};
const progress = {
  ...object('`{ value, maximum, percentage, description }`', shownProgress),
  required: Object.keys(shownProgress),
  additionalProperties: false,
};
const ofNode = { nodeId: text('id of the node'), nodeType: text('type of the node') };
const ofSku = {
  ...ofNode,
  oldSku: textOrNull('id of the previous SKU, or null'),
  newSku: textOrNull('id of the new SKU, or null'),
};
const ofHold = {
  ...ofNode,
  hold: object('`{ id, kind, reason, until, blocks, createdBy }`', {
    id: { type: 'string' },
    kind: { type: 'string' },
    reason: { type: 'string' },
    until: { type: ['string', 'null'] },
    blocks: { type: 'array' },
    createdBy: { type: ['string', 'null'] },
  }),
  by: textOrNull('the user who added or removed it; null: unknown, or it ended by itself'),
};
const ofGraph = {
  graphId: text('id of the workflow'),
  graphName: text('friendly name of its graph'),
  injectableName: text('name by which its graph is launched'),
  status: { enum: workflowStatuses, description: 'status of the workflow' },
  progress,
  taskProgress: object('`{ graphId, taskId, taskName, label, state, progress }` of the task that caused the event', {
    graphId: { type: 'string' },
    taskId: { type: 'string' },
    taskName: { type: 'string' },
    label: { type: 'string' },
    state: { enum: taskStates },
    progress,
  }),
  error: object('error of a failed workflow', { code: { type: 'string' }, message: { type: 'string' } }),
};
const ofRollout = {
  rolloutId: text('id of the rollout'),
  name: text('name of the rollout'),
  graph: text('name by which its graph is launched'),
  status: { enum: rolloutStatuses, description: 'status of the rollout' },
  phase: number('index of its current phase'),
  counts: object('number of its targets, by status'),
  reason: {
    type: ['object', 'null'],
    description: '`{ kind, since, gate?, targets? }` of its pause; null: it is not paused',
  },
};
const ofTicket = {
  ticketId: text('id of the ticket'),
  graph: text('name by which its graph is launched'),
  status: { enum: ticketStatuses, description: 'status of the ticket' },
  by: textOrNull('the user who did it; null: unknown, or its time was over'),
  nodes: { type: 'array', description: 'ids of its nodes' },
  requestedBy: textOrNull('the user who asked for it; null: unknown'),
  approvals: { type: 'array', description: 'list of `{ by, at, note }`' },
  expiresAt: time('end of its time'),
};
const ticket = 'id of the ticket';
const ofSchedule = {
  scheduleId: text('id of the schedule'),
  name: text('name of the schedule'),
  at: time('when it was due'),
  upTo: time('the event represents all times from `at` to this one'),
  status: { enum: runStatuses, description: 'outcome of the due time' },
  workflow: text('id of the workflow of a launch on one node'),
  batch: text('id of the batch of a launch'),
  rollout: text('id of the rollout'),
  reason: text('why it was missed or skipped'),
};
const ofRule = {
  ruleId: text('id of the rule'),
  name: text('name of the rule'),
  event: text('id of the event that matched'),
  status: { enum: ruleRunStatuses, description: 'outcome of the event' },
  workflow: text('id of the workflow that was started'),
  hold: text('id of the hold that was added'),
  reason: { enum: ruleRunReasons, description: 'why the rule did not act' },
  message: text('the same in words'),
};
const rollout = 'id of the rollout';
const schedule = 'id of the schedule';
const rule = 'id of the rule';
const node = 'id of the node';
const workflow = 'id of the workflow';

export const eventList = {
  heartbeat: {
    updated: {
      when: 'At the interval `heartbeatIntervalSec`, by each process; not queued while the broker is unavailable.',
      typeId: 'fully qualified host name and `nodewright`, separated by a dot',
      data: {
        name: text('`nodewright`'),
        title: text('title of the process'),
        pid: number('id of the process'),
        uid: number('id of its user'),
        platform: text('operating system'),
        release: object('release of Node.js'),
        versions: object('versions of Node.js and its libraries'),
        memoryUsage: object('`{ rss, heapTotal, heapUsed }` in bytes'),
        currentTime: time('time of this heartbeat'),
        nextUpdate: time('time of the next heartbeat'),
        lastUpdate: time('time of the previous heartbeat'),
        cpuUsage: text('share of one processor, such as `"25%"`'),
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
      data: {
        ...ofNode,
        ipMacAddresses: { type: 'array', description: 'list of `{ macAddress, ipAddress? }` of its lookups' },
      },
    },
    'obms.updated': { when: 'An obm of a node was set or deleted.', typeId: node, data: ofNode },
    'ibms.updated': { when: 'An ibm of a node was set or deleted.', typeId: node, data: ofNode },
    'sku.assigned': { when: 'A node without a SKU got one.', typeId: node, data: ofSku },
    'sku.unassigned': { when: 'A node lost its SKU.', typeId: node, data: ofSku },
    'sku.updated': { when: 'A node got another SKU.', typeId: node, data: ofSku },
    'skus.progress.updated': {
      when: 'While all nodes are reclassified, without a node.',
      typeId: 'generation of the SKUs',
      data: {
        generation: number('generation of the SKUs'),
        status: text('`running`, at the end `succeeded`'),
        progress,
        changed: number('number of nodes with another SKU'),
      },
    },
    alerts: {
      when: 'A BMC sent a Redfish alert. The event has the severity of the alert.',
      typeId: node,
      data: {
        nodeId: text('id of the node; the fields of the alert itself are next to this one'),
        sourceIpAddress: text('address of the sender'),
        macAddress: text('MAC of the node, or empty'),
        sourceMacAddress: text('MAC of the BMC, or empty'),
        ChassisName: text('from the `dmi` catalog, or empty'),
        ServiceTag: text('from the `dmi` catalog, or empty'),
        SN: text('from the `dmi` catalog, or empty'),
      },
      isOpen: true,
    },
    'hold.added': { when: 'A node got a hold.', typeId: node, data: ofHold },
    'hold.removed': { when: 'A hold of a node was removed, or ended by itself.', typeId: node, data: ofHold },
    'health.changed': {
      when: 'The health of a node changed. The event has the severity of the new state.',
      typeId: node,
      data: {
        ...ofNode,
        health: object('`{ state, since, reports }`; of the reports the worst', {
          state: { enum: healthStates },
          since: { type: 'string' },
          reports: { type: 'array' },
        }),
        oldState: { enum: healthStates, description: 'the state before' },
      },
    },
    'southbound.rejected': {
      when: 'A request in the name of a node was rejected, or got no key. At most once a minute for node and address.',
      typeId: node,
      data: {
        nodeId: text('id of the node'),
        address: text('address of the sender'),
        reason: text('why it was rejected'),
      },
    },
  },
  polleralert: {
    'sel.updated': {
      when: "A poller found an entry in the event log of a node's BMC.",
      typeId: 'id of the poller',
      data: {
        pollerName: text('`sel`'),
        nodeId: text('id of the node'),
        alert: object('the entry, with the fields that ipmitool prints'),
      },
    },
    'logservices.updated': {
      when: "A poller found an entry in a log that a node's BMC has by Redfish.",
      typeId: 'id of the poller',
      data: {
        pollerName: text('`systems.logservices` or `managers.logservices`'),
        nodeId: text('id of the node'),
        alert: object('the entry: texts of its LogEntry, and `Log`, the path of its log'),
      },
    },
  },
  hook: {
    test: {
      when: 'A user requested a test of a web hook. It is delivered to this hook only, whatever its filters, and is not in the log.',
      typeId: 'id of the hook',
      data: { hookId: text('id of the hook'), hookName: textOrNull('name of the hook, or null') },
      isPrivate: true,
    },
  },
  graph: {
    started: { when: 'A workflow started.', typeId: workflow, data: ofGraph },
    'progress.updated': {
      when: 'A task of a workflow changed its state or reported progress.',
      typeId: workflow,
      data: ofGraph,
    },
    finished: {
      when: 'A workflow ended. Its severity is `critical` if the workflow failed, `warning` if it was cancelled.',
      typeId: workflow,
      data: ofGraph,
    },
  },
  rollout: {
    started: { when: 'A rollout began.', typeId: rollout, data: ofRollout },
    'phase.started': { when: 'A phase of a rollout began.', typeId: rollout, data: ofRollout },
    'phase.finished': { when: 'All targets of a phase have ended.', typeId: rollout, data: ofRollout },
    paused: {
      when: 'A rollout was paused. Its severity is `critical` if a gate did it, otherwise `warning`.',
      typeId: rollout,
      data: ofRollout,
    },
    resumed: { when: 'A paused rollout continues, or an ended one retries.', typeId: rollout, data: ofRollout },
    finished: { when: 'All targets of a rollout have ended.', typeId: rollout, data: ofRollout },
  },
  ticket: {
    requested: { when: 'A user asked for a ticket.', typeId: ticket, data: ofTicket },
    approved: { when: 'As many users as it needs have approved a ticket.', typeId: ticket, data: ofTicket },
    rejected: { when: 'A user rejected a ticket.', typeId: ticket, data: ofTicket },
    used: { when: 'A launch or a rollout used a ticket.', typeId: ticket, data: ofTicket },
    expired: { when: 'The time of a ticket was over before it was used.', typeId: ticket, data: ofTicket },
  },
  schedule: {
    started: { when: 'A schedule started its launch or rollout.', typeId: schedule, data: ofSchedule },
    missed: {
      when: 'A due time came while no daemon ran, and was not run later. Its severity is `warning`.',
      typeId: schedule,
      data: ofSchedule,
    },
    skipped: {
      when: 'A due time was skipped: the run before has not ended, or the launch was rejected.',
      typeId: schedule,
      data: ofSchedule,
    },
  },
  rule: {
    started: { when: 'A rule started its graph on a node.', typeId: rule, data: ofRule },
    held: { when: 'A rule added its hold to a node.', typeId: rule, data: ofRule },
    skipped: {
      when: 'A rule did not act on an event that matched, for the reason given. Its severity is `warning` if a limit was reached.',
      typeId: rule,
      data: ofRule,
    },
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
