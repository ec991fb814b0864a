/** The port of the API to schedules: launches and rollouts at due times. */
import { type Static, Type } from 'typebox';
import { type RunStatus, runStatuses } from '../vocabulary/states.ts';
import type { Calendar } from './calendar.ts';
import { NODES_PER_FILTER, type NodeQuery } from './node-query.ts';
import type { Page, PagedList } from './page.ts';
import { rolloutRequest } from './rollouts.ts';
import { anyObject, nodeFilterBody, nonEmpty, orNull, owningTeam, time, words } from './schemas.ts';
import type { LauncherRole } from './workflows.ts';

const strict = { additionalProperties: false } as const;
const NAME_LENGTH = 200;
const CRON_LENGTH = 200;
const ZONE_LENGTH = 100;
const EVERY_MAX_SEC = 366 * 86_400;

const when = Type.Union(
  [
    Type.Object(
      {
        cron: Type.String({ minLength: 1, maxLength: CRON_LENGTH, description: 'minute hour day month weekday' }),
        zone: Type.String({ minLength: 1, maxLength: ZONE_LENGTH, description: 'IANA zone, such as Europe/Berlin' }),
      },
      strict,
    ),
    Type.Object(
      {
        everySec: Type.Integer({ minimum: 1, maximum: EVERY_MAX_SEC }),
        from: Type.Optional(Type.Unsafe<string>({ ...time, description: 'the first; absent: the creation' })),
      },
      strict,
    ),
    Type.Object({ at: time }, strict),
  ],
  { description: 'a cron pattern in a zone, an interval, or one moment' },
);

const launch = Type.Object(
  {
    name: nonEmpty,
    nodes: Type.Optional(Type.Array(nonEmpty, { minItems: 1, maxItems: NODES_PER_FILTER })),
    filter: Type.Optional(nodeFilterBody),
    options: Type.Optional(Type.Record(Type.String(), anyObject)),
  },
  { ...strict, description: 'a graph on `nodes`, or on those that `filter` selects at the due time' },
);

const settable = {
  name: Type.String({ minLength: 1, maxLength: NAME_LENGTH }),
  when,
  launch: Type.Optional(launch),
  rollout: Type.Optional(rolloutRequest),
  overlap: Type.Unsafe<'skip' | 'queue'>({
    ...words(['skip', 'queue'] as const),
    description: 'of a time that is due while the run before has not ended',
  }),
  missed: Type.Unsafe<'run' | 'skip'>({
    ...words(['run', 'skip'] as const),
    description: 'of times that came while no daemon ran: `run` runs the newest',
  }),
  paused: Type.Boolean(),
  until: orNull(Type.Unsafe<string>({ ...time, description: 'no time is due after it' })),
};

export const scheduleBody = Type.Object(
  {
    ...settable,
    overlap: Type.Optional(settable.overlap),
    missed: Type.Optional(settable.missed),
    paused: Type.Optional(settable.paused),
    until: Type.Optional(settable.until),
  },
  strict,
);

/** The times of a schedule as a form has them, before it is stored. */
export const schedulePreviewBody = Type.Object({ when, until: Type.Optional(settable.until) }, strict);

export const scheduleChangeBody = Type.Partial(Type.Object(settable), { ...strict, minProperties: 1 });

export const schedulePreview = Type.Object(
  { next: Type.Array(time, { description: 'the next five due times' }) },
  { title: 'SchedulePreview' },
);

const run = {
  at: Type.Unsafe<string>({ ...time, description: 'when it was due' }),
  status: Type.Unsafe<RunStatus>(words(runStatuses)),
  workflow: Type.Optional(Type.String({ description: 'of a launch on one node' })),
  batch: Type.Optional(Type.String({ description: 'of a launch' })),
  rollout: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String({ description: 'why it was missed or skipped' })),
  upTo: Type.Optional(
    Type.Unsafe<string>({ ...time, description: 'it represents all times from `at` to this one: too many to list' }),
  ),
};

const scheduleRun = Type.Object(run);

export const runRecord = Type.Object(
  { id: Type.String(), schedule: Type.String(), ...run, createdAt: time },
  { title: 'ScheduleRun' },
);

export const scheduleRecord = Type.Object(
  {
    id: Type.String(),
    ...settable,
    next: Type.Array(time, { description: 'the next five due times; of a paused one, if it is resumed' }),
    queued: Type.Integer({ description: 'due times that wait for the end of the run before' }),
    last: orNull(scheduleRun),
    createdAt: time,
    updatedAt: time,
    createdBy: orNull(Type.String({ description: 'The user who created it; null: unknown' })),
    owner: Type.Optional(owningTeam),
  },
  { title: 'Schedule' },
);

export const scheduleAction = Type.Object({ command: words(['pause', 'resume', 'run-now'] as const) }, strict);

export type SchedulePreviewBody = Static<typeof schedulePreviewBody>;
export type SchedulePreview = Static<typeof schedulePreview>;
export type When = Static<typeof when>;
export type ScheduledLaunch = Static<typeof launch>;
/** The outcome of a due time. */
export type ScheduleRun = Static<typeof scheduleRun>;
export type ScheduleRunRecord = Static<typeof runRecord>;
export type ScheduleRecord = Static<typeof scheduleRecord>;
export type ScheduleAction = Static<typeof scheduleAction>;
type ScheduleBody = Static<typeof scheduleBody>;

/** The filter of the launch or rollout as it was checked; absent: it names its nodes. */
interface ScheduleTerms {
  query?: NodeQuery;
  /** The roles of the requesting user, as of a launch: the schedule launches with them from now on. */
  launcherRoles?: readonly LauncherRole[];
}

export type NewSchedule = ScheduleBody &
  ScheduleTerms & {
    /** The team of the member who asks: it launches on nodes of this team only. Absent: a user of the whole site. */
    team?: string;
  };
export type ScheduleChange = Static<typeof scheduleChangeBody> & ScheduleTerms;

export interface Schedules extends Calendar {
  /** Default order: oldest first. */
  list(page: Page): Promise<PagedList<ScheduleRecord>>;
  get(id: string): Promise<ScheduleRecord | undefined>;
  /** Computes the next due times of a schedule that is not stored. @throws NodewrightError INVALID */
  preview(times: SchedulePreviewBody): SchedulePreview;
  /**
   * @param by the requesting user
   * @throws NodewrightError INVALID (times, or not one of launch and rollout), NOT_FOUND (graph, node), INVALID_OPTIONS,
   *   LAUNCH_RESTRICTED
   */
  create(schedule: NewSchedule, by?: string): Promise<ScheduleRecord>;
  /** New times count from now on. @throws as `create` @returns undefined if there is no such schedule */
  change(id: string, change: ScheduleChange): Promise<ScheduleRecord | undefined>;
  /** Its launches and rollouts continue. @returns false if there is no such schedule */
  remove(id: string): Promise<boolean>;
  /**
   * @param roles of the requesting user, as of a launch: those of the schedule from now on, unless it is paused
   * @throws NodewrightError CONFLICT with the state where the command makes no sense, LAUNCH_RESTRICTED
   * @returns undefined if there is no such schedule
   */
  act(id: string, action: ScheduleAction, roles?: readonly LauncherRole[]): Promise<ScheduleRecord | undefined>;
  /** Newest first. @returns undefined if there is no such schedule */
  runs(id: string, page: Page): Promise<PagedList<ScheduleRunRecord> | undefined>;
}
