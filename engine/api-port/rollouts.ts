/** The port of the API to rollouts: one graph on many nodes, in phases. */
import { type Static, Type } from 'typebox';
import { relationPairs } from '../define/node.ts';
import {
  type HealthGate,
  healthGates,
  type PauseKind,
  pauseKinds,
  type RolloutStatus,
  rolloutStatuses,
  type TargetReason,
  type TargetStatus,
  targetReasons,
  targetStatuses,
} from '../vocabulary/states.ts';
import { withOldFields } from '../vocabulary/until-0.2.ts';
import { usualRecord } from './diagnosis.ts';
import type { Page, PagedList } from './page.ts';
import { anyObject, nodeFilterBody, nonEmpty, orNull, owningTeam, time, withText, words } from './schemas.ts';
import type { LauncherRole } from './workflows.ts';

/** Targets of one rollout. */
const TARGETS_PER_ROLLOUT = 10_000;
const PHASES_PER_ROLLOUT = 100;
const GATES_PER_ROLLOUT = 20;
const ROLLOUT_NAME_LENGTH = 200;
const SEED_MAX = 2 ** 31 - 1;

const strict = { additionalProperties: false } as const;
const amount = Type.Integer({ minimum: 1, maximum: TARGETS_PER_ROLLOUT });
const relations = Object.entries(relationPairs).flat();
const scopes = ['phase', 'rollout'] as const;
const scope = Type.Optional(
  Type.Unsafe<(typeof scopes)[number]>({ ...words(scopes), default: 'rollout', description: 'of its failures' }),
);
const phaseSize = Type.Union([
  amount,
  Type.String({
    pattern: '^(rest|(100|[1-9]?[0-9])(\\.[0-9]{1,6})?%)$',
    description: 'a percentage of all targets, or `rest`, which is the last phase',
  }),
]);
const advance = withText(words(['auto', 'manual'] as const), 'what begins the next phase');
const gate = Type.Union([
  Type.Object({ failures: amount, scope }, strict),
  Type.Object({ failurePercent: Type.Number({ exclusiveMinimum: 0, maximum: 100 }), scope }, strict),
  Type.Object(
    { health: Type.Unsafe<HealthGate>({ ...words(healthGates), description: 'this, or worse, after a workflow' }) },
    strict,
  ),
]);
/** The default of an order, by its name. */
export const RANDOM_ORDER = 'random';
const order = Type.Object(
  {
    by: Type.Optional(
      withText(
        words([RANDOM_ORDER, ...relations]),
        'a relation, whose nodes follow each other, or random, the default',
      ),
    ),
  },
  strict,
);
const limits = Type.Object(
  {
    running: Type.Optional(withText(amount, 'targets at a time; absent: no limit')),
    per: Type.Optional(
      Type.Unsafe<Record<string, number>>({
        ...Type.Partial(Type.Object(Object.fromEntries(relations.map((relation) => [relation, amount]))), strict),
        description: 'by relation: targets at a time that share a node in it',
      }),
    ),
  },
  strict,
);
const onBlocked = words(['wait', 'skip'] as const);
const definitions = words(['pinned', 'newest'] as const);

export const rolloutRequest = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: ROLLOUT_NAME_LENGTH })),
    graph: nonEmpty,
    options: Type.Optional(Type.Record(Type.String(), anyObject)),
    seed: Type.Optional(Type.Integer({ minimum: 0, maximum: SEED_MAX })),
    targets: Type.Object(
      {
        nodes: Type.Optional(Type.Array(nonEmpty, { minItems: 1, maxItems: TARGETS_PER_ROLLOUT })),
        filter: Type.Optional(nodeFilterBody),
        sample: Type.Optional(Type.Object({ percent: Type.Number({ exclusiveMinimum: 0, maximum: 100 }) }, strict)),
        excludeRollouts: Type.Optional(Type.Array(nonEmpty, { maxItems: 100 })),
      },
      strict,
    ),
    phases: Type.Optional(
      Type.Array(Type.Object({ size: phaseSize, advance: Type.Optional(advance) }, strict), {
        minItems: 1,
        maxItems: PHASES_PER_ROLLOUT,
      }),
    ),
    order: Type.Optional(order),
    limits: Type.Optional(limits),
    gates: Type.Optional(Type.Array(gate, { maxItems: GATES_PER_ROLLOUT })),
    onBusy: Type.Optional(onBlocked),
    onHeld: Type.Optional(onBlocked),
    window: Type.Optional(Type.String({ minLength: 1, description: 'id of the window in which targets begin' })),
    ticket: Type.Optional(Type.String({ minLength: 1, description: 'id of the ticket for its targets' })),
    definition: Type.Optional(definitions),
  },
  strict,
);

const rolloutCounts = Type.Object(
  Object.fromEntries(targetStatuses.map((status) => [status, Type.Integer()])) as Record<
    TargetStatus,
    ReturnType<typeof Type.Integer>
  >,
);
const place = { node: Type.String(), phase: Type.Integer(), sequence: Type.Integer() };
const flatError = orNull(Type.Object({ code: Type.String(), message: Type.String() }));

const pauseReason = Type.Object(
  {
    kind: Type.Unsafe<PauseKind>(words(pauseKinds)),
    since: time,
    by: Type.Optional(Type.String({ description: 'the user who paused it' })),
    gate: Type.Optional(
      Type.Object({ index: Type.Integer() }, { additionalProperties: true, description: 'the gate that tripped' }),
    ),
    targets: Type.Optional(
      Type.Array(Type.Object({ node: Type.String(), workflow: orNull(Type.String()) }), {
        description: 'the targets that tripped it, the newest 20',
      }),
    ),
  },
  { title: 'RolloutReason' },
);

const phaseRecord = Type.Object({
  index: Type.Integer(),
  size: phaseSize,
  advance,
  targets: Type.Integer({ description: 'their number' }),
  counts: rolloutCounts,
  startedAt: orNull(time),
  finishedAt: orNull(time),
});

const shared = {
  name: Type.String(),
  graph: Type.String(),
  definition: definitions,
  definitionHash: Type.String(),
  options: anyObject,
  seed: Type.Integer(),
  status: Type.Unsafe<RolloutStatus>(words(rolloutStatuses)),
  reason: orNull(pauseReason),
  phase: Type.Integer({ description: 'the index of the current phase' }),
  phases: Type.Array(phaseRecord),
  counts: rolloutCounts,
  gates: Type.Array(gate),
  limits,
  order,
  onBusy: onBlocked,
  onHeld: onBlocked,
  window: orNull(Type.String()),
  ticket: orNull(Type.String()),
  estimate: orNull(
    Type.Object(
      { finishedAt: time, basis: usualRecord },
      { description: 'if nothing pauses it; null: too few runs are known, or it has ended' },
    ),
  ),
};

export const rolloutRecord = Type.Object(
  {
    id: Type.String(),
    ...shared,
    createdBy: orNull(Type.String()),
    owner: Type.Optional(owningTeam),
    createdAt: time,
    updatedAt: time,
    finishedAt: orNull(time),
  },
  { title: 'Rollout' },
);

export const rolloutPlanRecord = Type.Object(
  withOldFields({
    ...shared,
    targets: Type.Array(Type.Object(place)),
    rejections: Type.Array(Type.Object({ node: Type.String(), code: Type.String(), message: Type.String() }), {
      description: 'of launches that would be rejected now',
    }),
  }),
  { title: 'RolloutPlan' },
);

export const targetRecord = Type.Object(
  {
    ...place,
    status: Type.Unsafe<TargetStatus>(words(targetStatuses)),
    workflow: orNull(Type.String()),
    reason: orNull(Type.Unsafe<TargetReason>(words(targetReasons))),
    attempts: Type.Array(Type.Object({ workflow: orNull(Type.String()), status: Type.String(), error: flatError }), {
      description: 'earlier tries',
    }),
    startedAt: orNull(time),
    finishedAt: orNull(time),
    error: flatError,
  },
  { title: 'RolloutTarget' },
);

/** Those after which more targets begin. */
export const beginningCommands: readonly string[] = ['resume', 'advance', 'retry-failed'];

const rolloutCommands = ['pause', 'resume', 'advance', 'cancel', 'retry-failed'] as const;

export const rolloutAction = Type.Object(
  {
    command: words(rolloutCommands),
    phase: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 10_000, description: 'of `advance`: must be the next one' }),
    ),
    cancelRunning: Type.Optional(Type.Boolean({ description: 'of `cancel`: also the workflows that run' })),
    acknowledge: Type.Optional(
      Type.Boolean({ description: 'of `retry-failed`: `once` tasks may run again that may have taken effect' }),
    ),
  },
  strict,
);

export type PhaseSize = Static<typeof phaseSize>;
export type Gate = Static<typeof gate>;
export type RolloutLimits = Static<typeof limits>;
export type PauseReason = Static<typeof pauseReason>;
export type RolloutRecord = Static<typeof rolloutRecord>;
export type RolloutPlanRecord = Static<typeof rolloutPlanRecord>;
export type TargetRecord = Static<typeof targetRecord>;
export type RolloutAction = Static<typeof rolloutAction>;

export type RolloutBody = Static<typeof rolloutRequest>;

/** The part of a request that determines targets, their order and their phases. */
export interface RolloutPlanRequest {
  sample?: { percent: number };
  order: { by?: string };
  phases: readonly { size: PhaseSize }[];
}

export type RolloutRequest = Omit<RolloutBody, 'targets'> & {
  /** Ids of nodes. */
  nodes: readonly string[];
  sample?: { percent: number };
  excludeRollouts?: readonly string[];
  domain?: string;
  /** The requesting user. */
  operator?: string;
  /** The team of the member who asks: other nodes do not exist. Absent: a user of the whole site. */
  team?: string;
  /** As of a launch. */
  launcherRoles?: readonly LauncherRole[];
};

/** @param nodes the targets: those of the body, or those that its filter selects */
export function rolloutRequestOf({ targets, ...request }: RolloutBody, nodes: readonly string[]): RolloutRequest {
  const { nodes: _, filter: __, ...chosen } = targets;
  return { ...request, ...chosen, nodes };
}

export interface Rollouts {
  /** @throws NodewrightError NOT_FOUND (graph, excluded rollout), INVALID; nothing is stored or started */
  plan(request: RolloutRequest): Promise<RolloutPlanRecord>;
  /** @throws NodewrightError as `plan`, TOO_MANY_REQUESTS, LAUNCH_RESTRICTED, TICKET_REQUIRED, TICKET_MISMATCH */
  create(request: RolloutRequest): Promise<RolloutRecord>;
  get(id: string): Promise<RolloutRecord | undefined>;
  /** Default order: oldest first. */
  list(page: Page): Promise<PagedList<RolloutRecord>>;
  /** Default order: by sequence. @returns undefined if there is no such rollout */
  targets(id: string, page: Page): Promise<PagedList<TargetRecord> | undefined>;
  /**
   * @param by the requesting user
   * @param roles of this user, as of a launch: those of the rollout from now on, if more targets begin
   * @throws NodewrightError CONFLICT with its status where the command makes no sense, RETRY_UNSAFE, LAUNCH_RESTRICTED
   * @returns undefined if there is no such rollout
   */
  act(
    id: string,
    action: RolloutAction,
    by?: string,
    roles?: readonly LauncherRole[],
  ): Promise<RolloutRecord | undefined>;
  /** @throws NodewrightError CONFLICT while it has not ended @returns false if there is no such rollout */
  remove(id: string): Promise<boolean>;
}
