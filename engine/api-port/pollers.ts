/** The port of the API to pollers, which read from machines that do not report on their own. */
import { type Static, Type } from 'typebox';
import { pollerCommands, pollerTypes, snmpAuthProtocols, snmpPrivProtocols, snmpVersions } from '../define/node.ts';
import type { Severity } from '../vocabulary/event.ts';
import { DAY_MS } from '../vocabulary/units.ts';
import { withOldFields } from '../vocabulary/until-0.2.ts';
import type { Page, PagedList } from './page.ts';
import { nonEmpty, orNull, time, words } from './schemas.ts';

/**
 * A severity, and fields of a log entry, each with the text that it must equal, or a regular expression between slashes
 * that it must match.
 */
export type AlertRule = { severity: Severity } & Record<string, string>;

const RULES = 100;
const MAX_TEXT = 1_024;

const rule = Type.Unsafe<AlertRule>({
  type: 'object',
  properties: { severity: { type: 'string', enum: ['critical', 'warning', 'information'] } },
  required: ['severity'],
  additionalProperties: { type: 'string', maxLength: MAX_TEXT },
  maxProperties: 20,
  description: 'in addition to severity: fields of an entry, each with its exact text or a /regular expression/',
});
/** Without a host, the obm of the node applies; of SNMP its ibm. A poller of Redfish has no host. */
const config = Type.Object(
  {
    command: Type.Optional(words([...pollerCommands.ipmi, ...pollerCommands.redfish] as const)),
    alerts: Type.Optional(
      Type.Array(rule, { maxItems: RULES, description: 'the first matching rule determines the severity of an entry' }),
    ),
    stream: Type.Optional(
      Type.Boolean({ description: 'of logs by Redfish; false: the event stream of the BMC is not followed' }),
    ),
    oids: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        minItems: 1,
        maxItems: 50,
        description: 'of SNMP: the roots of the trees to read, as numbers or as names such as IF-MIB::ifSpeed',
      }),
    ),
    host: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9:][A-Za-z0-9.:%_-]*$', maxLength: 255 })),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
    user: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TEXT })),
    password: Type.Optional(Type.String({ maxLength: MAX_TEXT, description: 'not shown' })),
    version: Type.Optional(
      Type.Unsafe<(typeof snmpVersions)[number]>({
        ...words(snmpVersions),
        description: 'of SNMP; default 3 with a user, otherwise 2c',
      }),
    ),
    communityString: Type.Optional(
      Type.String({ maxLength: MAX_TEXT, description: 'of versions 1 and 2c; not shown' }),
    ),
    authProtocol: Type.Optional(words(snmpAuthProtocols)),
    authPassword: Type.Optional(Type.String({ maxLength: MAX_TEXT, description: 'of version 3; not shown' })),
    privProtocol: Type.Optional(words(snmpPrivProtocols)),
    privPassword: Type.Optional(Type.String({ maxLength: MAX_TEXT, description: 'of version 3; not shown' })),
  },
  { additionalProperties: false },
);
const changeable = {
  pollInterval: Type.Optional(
    Type.Integer({
      minimum: 100,
      maximum: DAY_MS,
      description: 'ms; default 60,000; at most one poll a second is made',
    }),
  ),
  paused: Type.Optional(Type.Boolean()),
  config: Type.Optional(config),
};

export const newPoller = Type.Object(
  { type: words(pollerTypes), node: Type.Optional(orNull(nonEmpty)), ...changeable },
  { additionalProperties: false },
);
export const pollerChange = Type.Object(changeable, { additionalProperties: false });

export const pollerRecord = Type.Object(
  withOldFields({
    id: nonEmpty,
    name: Type.String({ description: 'as RackHD names the type' }),
    type: words(pollerTypes),
    /** null: its config names the host. */
    node: orNull(nonEmpty),
    pollInterval: Type.Integer(),
    config,
    paused: Type.Boolean(),
    failureCount: Type.Integer(),
    lastError: orNull(Type.Object({ code: Type.String(), message: Type.String() })),
    retryAt: orNull(time),
    createdAt: time,
    updatedAt: time,
  }),
  { title: 'Poller' },
);

export const readingRecord = Type.Object(
  { host: Type.String(), node: orNull(Type.String()), timestamp: time },
  {
    title: 'PollerReading',
    additionalProperties: true,
    description: 'besides, what was read, named after the command; of SNMP: result',
  },
);

export type PollerConfig = Static<typeof config>;
export type PollerRecord = Omit<Static<typeof pollerRecord>, 'name'>;
export type NewPoller = Static<typeof newPoller>;
export type PollerChange = Static<typeof pollerChange>;

/** One result: besides these fields one that is named after what was read. */
export interface PollerReading {
  host: string;
  node: string | null;
  /** ISO 8601. */
  timestamp: string;
  [read: string]: unknown;
}

export interface Pollers {
  list(page: Page): Promise<PagedList<PollerRecord>>;
  get(id: string): Promise<PollerRecord | undefined>;
  /** @throws NodewrightError INVALID; DUPLICATE if the node has a poller of this command; NOT_FOUND without the node */
  create(input: NewPoller): Promise<PollerRecord>;
  update(id: string, change: PollerChange): Promise<PollerRecord | undefined>;
  remove(id: string): Promise<boolean>;
  /** Returns the newest results, newest first. @returns undefined if there is no such poller */
  data(id: string): Promise<PollerReading[] | undefined>;
}
