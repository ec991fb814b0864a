/** The port of the API to rules: a launch or a hold on the node of each event that matches. */
import { type Static, Type } from 'typebox';
import {
  holdKinds,
  type RuleRunReason,
  type RuleRunStatus,
  ruleRunReasons,
  ruleRunStatuses,
} from '../vocabulary/states.ts';
import { newHold } from './holds.ts';
import { hookFilter } from './hooks.ts';
import type { Page, PagedList } from './page.ts';
import { anyObject, nonEmpty, orNull, time, words } from './schemas.ts';

const strict = { additionalProperties: false } as const;
const RULE_NAME_LENGTH = 200;
const HOLD_MAX_MINUTES = 366 * 24 * 60;
const LIMIT_MAX = 1_000;

const launch = Type.Object(
  { name: nonEmpty, options: Type.Optional(Type.Record(Type.String(), anyObject)) },
  { ...strict, description: 'a graph, which starts on the node of the event' },
);

const forMinutes = Type.Optional(
  Type.Integer({ minimum: 1, maximum: HOLD_MAX_MINUTES, description: 'absent: until it is removed' }),
);
const { reason } = newHold.properties;
const kind = words(holdKinds);
const hold = Type.Object({ kind, reason, forMinutes }, strict);

const limit = (description: string) => Type.Integer({ minimum: 1, maximum: LIMIT_MAX, description });
const limits = {
  perNodePerDay: limit('acts on one node in 24 hours'),
  perHour: limit('acts on all nodes in an hour'),
};

const settable = {
  name: Type.String({ minLength: 1, maxLength: RULE_NAME_LENGTH }),
  on: Type.Object(hookFilter.properties, { ...strict, minProperties: 1, description: 'one filter of a hook' }),
  launch: Type.Optional(launch),
  hold: Type.Optional(Type.Object({ kind: Type.Optional(kind), reason, forMinutes }, strict)),
  limits: Type.Optional(Type.Partial(Type.Object(limits), strict)),
};

const enabled = Type.Boolean({ description: 'a rule is disabled when it is made; PATCH enables it' });

export const ruleBody = Type.Object({ ...settable, enabled: Type.Optional(enabled) }, strict);

export const ruleChangeBody = Type.Partial(Type.Object({ ...settable, enabled }), { ...strict, minProperties: 1 });

export const ruleRecord = Type.Object(
  {
    id: Type.String(),
    ...settable,
    enabled,
    hold: Type.Optional(hold),
    limits: Type.Object(limits),
    createdAt: time,
    updatedAt: time,
    createdBy: orNull(Type.String({ description: 'The user who created it; null: unknown' })),
  },
  { title: 'Rule' },
);

const why = {
  reason: Type.Optional(Type.Unsafe<RuleRunReason>(words(ruleRunReasons))),
  message: Type.Optional(Type.String({ description: 'the reason in words' })),
};

export const ruleRunRecord = Type.Object(
  {
    id: Type.String(),
    rule: Type.String(),
    event: Type.String({ description: 'the id of the event' }),
    seq: Type.Integer({ description: 'its position in the log' }),
    type: Type.String(),
    action: Type.String(),
    typeId: Type.String(),
    node: Type.String(),
    status: Type.Unsafe<RuleRunStatus>(words(ruleRunStatuses)),
    workflow: Type.Optional(Type.String({ description: 'the workflow that was started' })),
    hold: Type.Optional(Type.String({ description: 'the hold that was added' })),
    ...why,
    createdAt: time,
    updatedAt: time,
  },
  { title: 'RuleRun' },
);

const testedEvent = {
  seq: Type.Integer(),
  id: Type.String(),
  type: Type.String(),
  action: Type.String(),
  severity: Type.String(),
  typeId: Type.String(),
  nodeId: Type.String(),
  createdAt: time,
};

export const ruleTestRecord = Type.Object(
  {
    since: orNull(time),
    events: Type.Array(Type.Object(testedEvent), { description: 'those on which it would have acted' }),
    limited: Type.Array(Type.Object({ ...testedEvent, ...why }), {
      description: 'those that a limit would have refused',
    }),
    upTo: orNull(Type.String({ format: 'date-time', description: 'The time of the last event that was read' })),
    isComplete: Type.Boolean({ description: 'false: there is more; test again with `since` as `upTo`' }),
  },
  { title: 'RuleTest' },
);

export type RuleLaunch = Static<typeof launch>;
export type RuleHold = Static<typeof hold>;
export type RuleRecord = Static<typeof ruleRecord>;
export type RuleRunRecord = Static<typeof ruleRunRecord>;
export type RuleTestRecord = Static<typeof ruleTestRecord>;
export type TestedEvent = RuleTestRecord['events'][number];
export type NewRule = Static<typeof ruleBody>;
export type RuleChange = Static<typeof ruleChangeBody>;

export interface Rules {
  /** Default order: oldest first. */
  list(page: Page): Promise<PagedList<RuleRecord>>;
  get(id: string): Promise<RuleRecord | undefined>;
  /**
   * @param by the requesting user
   * @throws NodewrightError INVALID (expression, `enabled`, or not one of launch and hold), NOT_FOUND (graph), INVALID_OPTIONS,
   * LAUNCH_RESTRICTED, TICKET_REQUIRED, CONFLICT (too many)
   */
  create(rule: NewRule, by?: string): Promise<RuleRecord>;
  /**
   * One that is enabled, or gets another filter, acts on later events only.
   * @throws as `create` @returns undefined if there is no such rule
   */
  change(id: string, change: RuleChange): Promise<RuleRecord | undefined>;
  /** Its workflows continue, and its holds stay. @returns false if there is no such rule */
  remove(id: string): Promise<boolean>;
  /** Newest first. @returns undefined if there is no such rule */
  runs(id: string, page: Page): Promise<PagedList<RuleRunRecord> | undefined>;
  /**
   * Returns the events of the log on which the rule would have acted, and those that a limit would have refused.
   * @param since ISO 8601, UTC; absent: from the oldest @returns undefined if there is no such rule
   */
  test(id: string, since?: string): Promise<RuleTestRecord | undefined>;
}
