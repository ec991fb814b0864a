/** Requests of users to schedules. Each change is saved by compare-and-set; steps are the dispatcher's. */
import { randomUUID } from 'node:crypto';
import type { PlannedTime } from '../../api-port/calendar.ts';
import type { NodeQuery } from '../../api-port/node-query.ts';
import type { Page, PagedList } from '../../api-port/page.ts';
import type {
  NewSchedule,
  ScheduleAction,
  ScheduleChange,
  SchedulePreview,
  SchedulePreviewBody,
  ScheduleRecord,
  ScheduleRunRecord,
  Schedules,
} from '../../api-port/schedules.ts';
import type { LauncherRole } from '../../durable/actors/messages.ts';
import type { Graph } from '../../library/types.ts';
import { now } from '../../platform/lib/clock.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { changeVersioned } from '../../platform/store/versioned.ts';
import { NodewrightError, rejectViolations } from '../../vocabulary/errors.ts';
import { plannedTimes } from '../planned-times.ts';
import { redactedOptions } from '../requests/redacted-workflow.ts';
import { ownedByTeams } from '../team-filter.ts';
import { type DueTimes, dueTimesViolations } from './due-times.ts';
import { ScheduleDispatcher, type ScheduleDispatcherScope } from './schedule-dispatcher.ts';
import { type ScheduledWork, ScheduleLaunches, type ScheduleLaunchesScope } from './schedule-launches.ts';
import { duesBetween, lookAt, nextDue, OVERLAP, queueTime } from './schedule-step.ts';
import { hasEffects, noEffects, type StoredRun, type StoredSchedule } from './stored-schedule.ts';

export interface SchedulesPort
  extends ScheduleLaunchesScope,
    Omit<ScheduleDispatcherScope, 'begin' | 'isActive' | 'runs'> {
  runs: Collection<StoredRun>;
  /** Returns the newest version of a graph. */
  graph(name: string): Graph | undefined;
}

const SCHEDULES = 1_000;
const RUNS_PER_SCHEDULE = 10_000;
const NEXT_TIMES = 5;

export class ScheduleRequests implements Schedules {
  readonly #port: SchedulesPort;
  readonly #launches: ScheduleLaunches;
  readonly #dispatcher: ScheduleDispatcher;

  constructor(port: SchedulesPort) {
    this.#port = port;
    this.#launches = new ScheduleLaunches(port);
    this.#dispatcher = new ScheduleDispatcher({
      ...port,
      begin: (schedule, id) => this.#launches.begin(schedule, id),
      isActive: (run) => this.#launches.isActive(run),
    });
  }

  start(): void {
    this.#dispatcher.start();
  }

  close(): Promise<void> {
    return this.#dispatcher.close();
  }

  async list({ filter, ...page }: Page): Promise<PagedList<ScheduleRecord>> {
    const stored = await this.#port.schedules.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items: stored.map((schedule) => this.#view(schedule)), total: await this.#port.schedules.count(filter) };
  }

  async timesBetween(from: number, to: number, teams?: readonly string[]): Promise<PlannedTime[]> {
    const stored = await this.#port.schedules.find(ownedByTeams(teams), { limit: SCHEDULES });
    return stored
      .filter(({ paused }) => !paused)
      .flatMap((schedule) => {
        const { id, name, launch, rollout } = schedule;
        const of = { kind: 'schedule', id, name, graph: launch?.name ?? rollout?.graph ?? null } as const;
        return plannedTimes(of, duesBetween(schedule, from, to));
      });
  }

  async get(id: string): Promise<ScheduleRecord | undefined> {
    const stored = await this.#port.schedules.get(id);
    return stored && this.#view(stored);
  }

  preview({ when, until = null }: SchedulePreviewBody): SchedulePreview {
    const at = now();
    rejectViolations(dueTimesViolations(when, at));
    return { next: nextTimes({ when: dueTimesOf(when, new Date(at).toISOString()), until }) };
  }

  async create(given: NewSchedule, by?: string): Promise<ScheduleRecord> {
    const { name, when, overlap = 'skip', missed = 'run', paused = false, until = null, team, launcherRoles } = given;
    const at = now();
    rejectViolations(dueTimesViolations(when, at));
    const scheduled = await this.#scheduledBy(given, team);
    if ((await this.#port.schedules.count({})) >= SCHEDULES)
      throw new NodewrightError('CONFLICT', `there are ${SCHEDULES} schedules; remove one first`);
    const createdAt = new Date(at).toISOString();
    const times = { when: dueTimesOf(when, createdAt), until: storedTime(until) };
    const created: StoredSchedule = {
      id: randomUUID(),
      version: 1,
      name,
      ...times,
      ...scheduled,
      overlap,
      missed,
      paused,
      nextAt: paused ? null : nextDue(times, at),
      queue: [],
      current: null,
      effects: noEffects(),
      lookAt: null,
      last: null,
      createdAt,
      updatedAt: createdAt,
      createdBy: by ?? null,
      ...(team !== undefined && { owner: team }),
      ...(launcherRoles && { launcherRoles }),
    };
    created.lookAt = lookAt(created, at);
    await this.#port.schedules.insert(created);
    await this.#dispatcher.setJob(created);
    return this.#view(created);
  }

  async change(id: string, change: ScheduleChange): Promise<ScheduleRecord | undefined> {
    const { when, launch, rollout, query: _, until, launcherRoles, ...others } = change;
    if (when !== undefined) rejectViolations(dueTimesViolations(when, now()));
    const isOther = launch !== undefined || rollout !== undefined;
    const owner = isOther ? (await this.#port.schedules.get(id))?.owner : undefined;
    const scheduled = isOther ? await this.#scheduledBy(change, owner) : {};
    return this.#change(id, async (schedule, at) => {
      if (!isOther) await this.#launches.checkAgain(schedule, launcherRoles);
      return {
        ...others,
        ...scheduled,
        launcherRoles: launcherRoles ?? [],
        ...(when !== undefined && { when: dueTimesOf(when, new Date(at).toISOString()) }),
        ...(until !== undefined && { until: storedTime(until) }),
      };
    });
  }

  act(
    id: string,
    { command }: ScheduleAction,
    launcherRoles: readonly LauncherRole[] = [],
  ): Promise<ScheduleRecord | undefined> {
    return this.#change(id, async (schedule, at) => {
      if (command !== 'pause') await this.#launches.checkAgain(schedule, launcherRoles);
      if (command === 'run-now')
        return { ...(await this.#runNow(schedule, new Date(at).toISOString())), launcherRoles };
      const paused = command === 'pause';
      if (schedule.paused === paused)
        throw new NodewrightError('CONFLICT', `the schedule ${id} is ${paused ? 'paused already' : 'not paused'}`);
      return paused ? { paused } : { paused, launcherRoles };
    });
  }

  /** @throws NodewrightError CONFLICT */
  async #runNow(schedule: StoredSchedule, at: string): Promise<Partial<StoredSchedule>> {
    const { id, current, effects, overlap } = schedule;
    const isActive = hasEffects(effects) || (current !== null && (await this.#launches.isActive(current)));
    if (!isActive) return { effects: { runs: [], start: at } };
    if (overlap === 'skip')
      throw new NodewrightError('CONFLICT', `the schedule ${id} cannot run now: ${OVERLAP}; wait for it, or cancel it`);
    const queue = [...schedule.queue];
    return { queue, effects: { ...effects, runs: [...effects.runs, queueTime(queue, at)] } };
  }

  async #change(
    id: string,
    changeOf: (schedule: StoredSchedule, at: number) => Promise<Partial<StoredSchedule>>,
  ): Promise<ScheduleRecord | undefined> {
    const saved = await changeVersioned(this.#port.schedules, 'schedule', id, async (schedule) => {
      const at = now();
      const change = await changeOf(schedule, at);
      const changed = { ...schedule, ...change, updatedAt: new Date(at).toISOString() };
      const isRetimed = 'when' in change || 'until' in change || 'paused' in change;
      if (isRetimed) changed.nextAt = changed.paused ? null : nextDue(changed, at);
      return { ...changed, lookAt: lookAt(changed, at) };
    });
    if (saved === undefined) return undefined;
    await this.#dispatcher.setJob(saved);
    // The next pass repeats it after a failure.
    await this.#dispatcher.dispatch(id).catch(this.#port.failed);
    return this.get(id);
  }

  async remove(id: string): Promise<boolean> {
    const removed = await this.#port.schedules.remove({ id });
    await this.#port.jobs.unrepeat(id);
    await this.#port.runs.remove({ schedule: id });
    return removed > 0;
  }

  async runs(id: string, { filter, ...page }: Page): Promise<PagedList<ScheduleRunRecord> | undefined> {
    if ((await this.#port.schedules.get(id)) === undefined) return undefined;
    const listed = { $and: [{ schedule: id }, filter] };
    return {
      items: await this.#port.runs.find(listed, { ...page, sort: page.sort ?? { at: -1 } }),
      total: await this.#port.runs.count(listed),
    };
  }

  /** Returns the name of a schedule whose rollouts begin in the window. */
  async userOf(window: string): Promise<string | undefined> {
    const [user] = await this.#port.schedules.find({ 'rollout.window': window }, { limit: 1 });
    return user && `the schedule ${user.id}`;
  }

  /** For the retention. */
  async removeBefore(before: string, goesOn: () => Promise<boolean>): Promise<void> {
    await this.#port.runs.remove({ createdAt: { $lt: before } });
    for await (const { id: schedule } of pages(this.#port.schedules, {})) {
      if (!(await goesOn())) return;
      const [oldest] = await this.#port.runs.find(
        { schedule },
        { sort: { at: -1 }, skip: RUNS_PER_SCHEDULE, limit: 1 },
      );
      if (oldest !== undefined) await this.#port.runs.remove({ schedule, at: { $lte: oldest.at } });
    }
  }

  /** @param team the owner of the schedule @throws NodewrightError INVALID, NOT_FOUND, INVALID_OPTIONS */
  async #scheduledBy(
    { launch, rollout, query: given, launcherRoles }: ScheduleChange,
    team: string | undefined,
  ): Promise<ScheduledWork> {
    const query = given && queryOfTeam(given, team);
    const stored = query === undefined ? null : JSON.stringify(query);
    const user = { team, launcherRoles };
    if (launch !== undefined && rollout === undefined)
      return { launch: await this.#launches.storedLaunch(launch, query, user), rollout: null, query: stored };
    if (rollout !== undefined && launch === undefined)
      return { launch: null, rollout: await this.#launches.storedRollout(rollout, query, user), query: stored };
    rejectViolations([{ path: 'launch', message: 'or rollout: give one of them' }]);
    throw new Error('not reached');
  }

  #view(schedule: StoredSchedule): ScheduleRecord {
    const { id, name, when, launch, rollout, overlap, missed, paused, until, queue, last } = schedule;
    const { createdAt, updatedAt, createdBy, owner } = schedule;
    const withShownOptions = <T extends { options?: object }>(graph: string, scheduled: T): T => ({
      ...scheduled,
      options: redactedOptions((scheduled.options ?? {}) as Record<string, object>, this.#port.graph(graph)),
    });
    return {
      id,
      name,
      when,
      ...(launch !== null && { launch: withShownOptions(launch.name, launch) }),
      ...(rollout !== null && { rollout: withShownOptions(rollout.graph, rollout) }),
      overlap,
      missed,
      paused,
      until,
      next: nextTimes(schedule),
      queued: queue.length,
      last,
      createdAt,
      updatedAt,
      createdBy,
      ...(owner !== undefined && { owner }),
    };
  }
}

/** At the due time, too, only nodes of the team are chosen. */
const queryOfTeam = (query: NodeQuery, team: string | undefined): NodeQuery =>
  team === undefined ? query : { ...query, filter: { $and: [{ owner: team }, query.filter] } };

const storedTime = (given: string | null): string | null => (given === null ? null : new Date(given).toISOString());

function dueTimesOf(when: NewSchedule['when'], createdAt: string): DueTimes {
  if ('at' in when) return { at: new Date(when.at).toISOString() };
  return 'cron' in when ? when : { ...when, from: new Date(when.from ?? createdAt).toISOString() };
}

function nextTimes(schedule: Pick<StoredSchedule, 'when' | 'until'>): string[] {
  const times: string[] = [];
  let next = nextDue(schedule, now());
  while (next !== null && times.length < NEXT_TIMES) {
    times.push(next);
    next = nextDue(schedule, Date.parse(next));
  }
  return times;
}
