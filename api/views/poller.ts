/** The API record of a poller. */
import { Type } from 'typebox';
import type { AlertRule, PollerRecord } from '../../engine/api-port/index.ts';
import {
  pollerCommands,
  pollerTypes,
  snmpAuthProtocols,
  snmpPrivProtocols,
  snmpVersions,
} from '../../engine/define/node.ts';
import { DAY_MS } from '../../engine/vocabulary/units.ts';
import { withOldFields } from '../../engine/vocabulary/until-0.2.ts';
import { words } from '../http/words.ts';
import { nonEmpty, orNull, redacted, time } from './common.ts';
import { projection } from './projection.ts';

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
const config = Type.Object(
  {
    command: Type.Optional(words(pollerCommands)),
    alerts: Type.Optional(
      Type.Array(rule, { maxItems: RULES, description: 'the first matching rule determines the severity of an entry' }),
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

export const pollerView = projection(pollerRecord, {
  name: ({ type }: PollerRecord) => `Pollers.${type.toUpperCase()}`,
  config: ({ config }: PollerRecord) => redacted(config),
});

export const readingRecord = Type.Object(
  { host: Type.String(), node: orNull(Type.String()), timestamp: time },
  {
    title: 'PollerReading',
    additionalProperties: true,
    description: 'besides, what was read: sel, sdr, chassis or result',
  },
);

const key = (name: string, type: string, more: object = {}) => ({ key: name, type, required: false, ...more });
const secret = { description: 'encrypted in the store, and not shown' };
const host = key('host', 'string', { description: "without it, the node's obm applies, of SNMP its ibm" });

/** The types of pollers, with the keys of their configs. */
export const pollerLibrary = [
  {
    name: 'ipmi',
    node: true,
    config: [
      key('command', 'string', { enum: pollerCommands, defaultsTo: 'sel' }),
      ...[host, key('port', 'integer', { defaultsTo: 623 }), key('user', 'string'), key('password', 'string', secret)],
      key('alerts', 'json'),
    ],
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
