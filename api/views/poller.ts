/** The API record of a poller. */
import { Type } from 'typebox';
import type { AlertRule, PollerRecord } from '../../engine/api-port/index.ts';
import { pollerTypes } from '../../engine/define/node.ts';
import { nonEmpty, orNull, redacted, time, unsupported, words } from './common.ts';
import { projection } from './projection.ts';

const DAY_MS = 86_400_000;
const RULES = 100;
const TEXT = 1_024;

const rule = Type.Unsafe<AlertRule>({
  type: 'object',
  properties: { severity: { type: 'string', enum: ['critical', 'warning', 'information'] } },
  required: ['severity'],
  additionalProperties: { type: 'string', maxLength: TEXT },
  maxProperties: 20,
  description: 'in addition to severity: fields of an entry, each with its exact text or a /regular expression/',
});
const config = Type.Object(
  {
    command: Type.Optional(words(['sel'] as const)),
    alerts: Type.Optional(
      Type.Array(rule, { maxItems: RULES, description: 'the first matching rule determines the severity of an entry' }),
    ),
  },
  { additionalProperties: false },
);
const changeable = {
  pollInterval: Type.Optional(Type.Integer({ minimum: 1_000, maximum: DAY_MS, description: 'ms; default 60,000' })),
  paused: Type.Optional(Type.Boolean()),
  config: Type.Optional(config),
};

export const newPoller = Type.Object(
  { type: words(pollerTypes), node: nonEmpty, ...changeable },
  { additionalProperties: false },
);
export const pollerChange = Type.Object(changeable, { additionalProperties: false });

export const pollerRecord = Type.Object(
  {
    id: nonEmpty,
    type: Type.String(),
    node: nonEmpty,
    pollInterval: Type.Integer(),
    config,
    paused: Type.Boolean(),
    failureCount: Type.Integer(),
    lastError: orNull(Type.Object({ code: Type.String(), message: Type.String() })),
    restsUntil: orNull(time),
    unsupported,
    createdAt: time,
    updatedAt: time,
  },
  { title: 'Poller' },
);

export const pollerView = projection(pollerRecord, { config: ({ config }: PollerRecord) => redacted(config) });
