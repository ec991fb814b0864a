/**
 * Runs the effects of a schedule's step, after the step is saved, and again after a crash.
 *
 * 1. The id of a batch or rollout follows from the schedule and the due time, and it is created once under it: by this process, by
 *    another one that works on the same schedule, or by a repetition after a crash.
 * 2. The run is stored when its outcome is known, once: a repetition reads it, and its event has the same id again.
 * 3. A rejection (4xx) is an outcome, and the run is skipped. Any other error leaves the effects to the next pass.
 */
import type { ScheduleRun } from '../../api-port/schedules.ts';
import type { Outbox } from '../../events/broker/outbox.ts';
import { isoOf, now } from '../../platform/lib/clock.ts';
import { uuidOf } from '../../platform/lib/derived-uuid.ts';
import type { Collection } from '../../platform/store/port.ts';
import { isRejection } from '../../vocabulary/errors.ts';
import { type Publication, publicationOf } from '../../vocabulary/event.ts';
import { runIdOf, type StoredRun, type StoredSchedule } from './stored-schedule.ts';

export interface ScheduleEffectsScope {
  runs: Collection<StoredRun>;
  outbox: Pick<Outbox, 'publish'>;
  /** Starts the launch or rollout under an id, once. @throws NodewrightError its rejection */
  begin(schedule: StoredSchedule, id: string): Promise<Pick<ScheduleRun, 'workflow' | 'batch' | 'rollout' | 'reason'>>;
}

export class RunningSchedules {
  readonly #port: ScheduleEffectsScope;

  constructor(port: ScheduleEffectsScope) {
    this.#port = port;
  }

  /** @returns the run that was started, or whose launch was rejected */
  async run(schedule: StoredSchedule): Promise<ScheduleRun | undefined> {
    const { runs, start } = schedule.effects;
    const started = start === null ? undefined : await this.#start(schedule, start);
    const decided = started === undefined ? runs : [...runs, started];
    if (decided.length > 0) await this.#port.runs.insertMissing(decided.map((run) => storedRun(schedule, run)));
    const events = decided.flatMap((run) => publicationFor(schedule, run) ?? []);
    if (events.length > 0) await this.#port.outbox.publish(events);
    return started;
  }

  async #start(schedule: StoredSchedule, at: string): Promise<ScheduleRun> {
    const { runs } = this.#port;
    const id = runIdOf(schedule.id, at);
    const stored = await runs.get(id);
    if (stored !== undefined && stored.status !== 'queued') return outcomeOf(stored);
    const run = await this.#begin(schedule, id, at);
    // One that waited in the queue is there already.
    if (stored !== undefined) await runs.update({ id, status: 'queued' }, { $set: run });
    return run;
  }

  async #begin(schedule: StoredSchedule, id: string, at: string): Promise<ScheduleRun> {
    try {
      const begun = await this.#port.begin(schedule, id);
      return { at, status: begun.reason === undefined ? 'started' : 'skipped', ...begun };
    } catch (error) {
      if (!isRejection(error)) throw error;
      return { at, status: 'skipped', reason: `${error.code}: ${error.message}` };
    }
  }
}

const storedRun = ({ id: schedule }: StoredSchedule, run: ScheduleRun): StoredRun => ({
  id: runIdOf(schedule, run.at),
  schedule,
  ...run,
  createdAt: isoOf(now()) ?? '',
});

const outcomeOf = ({ id: _, schedule: __, createdAt: ___, ...run }: StoredRun): ScheduleRun => run;

function publicationFor({ id, name, owner }: StoredSchedule, run: ScheduleRun): Publication | undefined {
  if (run.status === 'queued') return undefined;
  return publicationOf({
    id: uuidOf(`${id} ${run.at} ${run.status}`),
    version: '1.0',
    type: 'schedule',
    action: run.status,
    severity: run.status === 'missed' ? 'warning' : 'information',
    typeId: id,
    createdAt: isoOf(now()) ?? '',
    nodeId: null,
    ...(owner !== undefined && { owner }),
    data: { scheduleId: id, name, ...run },
  });
}
