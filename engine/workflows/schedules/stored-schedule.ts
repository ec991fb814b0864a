/**
 * A schedule and its runs as stored. The schedule is one row, which each step replaces by compare-and-set; the outcome of each
 * due time is a document of its own, whose id follows from the schedule and the time.
 */
import type { RolloutBody } from '../../api-port/rollouts.ts';
import type { ScheduledLaunch, ScheduleRecord, ScheduleRun, ScheduleRunRecord } from '../../api-port/schedules.ts';
import type { LauncherRole } from '../../durable/actors/messages.ts';
import { uuidOf } from '../../platform/lib/derived-uuid.ts';
import type { CollectionSpec, VersionedDocument } from '../../platform/store/port.ts';
import type { DueTimes } from './due-times.ts';

/** The effects of the last step, which may not have run yet. */
export interface ScheduleEffects {
  runs: ScheduleRun[];
  /** The due time whose launch or rollout is started; null: none. */
  start: string | null;
}

export interface StoredSchedule
  extends VersionedDocument,
    Omit<ScheduleRecord, 'when' | 'next' | 'queued' | 'launch' | 'rollout'> {
  when: DueTimes;
  /** Secrets in its options are encrypted. */
  launch: ScheduledLaunch | null;
  rollout: RolloutBody | null;
  /** The roles of the user who created it, or last changed, resumed or ran it; absent: none. */
  launcherRoles?: readonly LauncherRole[];
  /** The filter of the launch or rollout as the store takes it (`NodeQuery`), as JSON, because names in it begin with `$`. */
  query: string | null;
  /** The due time that is decided next; null: there is none, or the schedule is paused. */
  nextAt: string | null;
  /** Due times that wait for the end of the current run, in their order. */
  queue: string[];
  /** The run that may not have ended. */
  current: ScheduleRun | null;
  effects: ScheduleEffects;
  /** When a pass of the dispatcher has to look at it; null: only when it is changed. */
  lookAt: string | null;
}

export type StoredRun = ScheduleRunRecord;

export const scheduleSpec: CollectionSpec = {
  name: 'schedules',
  indexes: { name: 'text', paused: 'boolean', lookAt: 'text', owner: 'text', createdAt: 'text' },
  scanned: { createdBy: 'text', updatedAt: 'text' },
};

export const runSpec: CollectionSpec = {
  name: 'scheduleruns',
  indexes: { schedule: 'text', at: 'text', status: 'text', createdAt: 'text' },
};

/** The id of a run, and of what it starts. */
export const runIdOf = (schedule: string, at: string): string => uuidOf(`${schedule} ${at}`);

export const noEffects = (): ScheduleEffects => ({ runs: [], start: null });

export const hasEffects = ({ runs, start }: ScheduleEffects): boolean => runs.length > 0 || start !== null;
