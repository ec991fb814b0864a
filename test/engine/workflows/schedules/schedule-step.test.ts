/** The step of a schedule: the outcomes of the times that are due. */
import test from 'ava';
import {
  duesBetween,
  QUEUE_LIMIT,
  type ScheduleInput,
  stepSchedule,
} from '../../../../engine/workflows/schedules/schedule-step.ts';
import { noEffects, type StoredSchedule } from '../../../../engine/workflows/schedules/stored-schedule.ts';

const BEGINNING = Date.UTC(2026, 0, 1);
const at = (sec: number) => new Date(BEGINNING + sec * 1_000).toISOString();

function step(change: Partial<StoredSchedule>, input: { at: number; since?: number; isActive?: boolean }) {
  const schedule = {
    id: 's',
    when: { everySec: 10, from: at(0) },
    overlap: 'skip',
    missed: 'run',
    paused: false,
    until: null,
    nextAt: at(0),
    queue: [],
    current: input.isActive ? { at: at(0), status: 'started' } : null,
    effects: noEffects(),
    ...change,
  } as unknown as StoredSchedule;
  const { since = 0, isActive = false } = input;
  const given: ScheduleInput = { at: BEGINNING + input.at * 1_000, since: BEGINNING + since * 1_000, isActive };
  const { effects, nextAt, queue, lookAt } = stepSchedule(schedule, given);
  const runs = effects.runs.map((run) => `${run.status} ${(Date.parse(run.at) - BEGINNING) / 1_000}`).join(', ');
  const start = effects.start === null ? null : (Date.parse(effects.start) - BEGINNING) / 1_000;
  return { runs, start, nextAt, queue, lookAt, all: effects.runs };
}

test('a time that is due starts, and the next one is after it', (t) => {
  t.like(step({}, { at: 0 }), { runs: '', start: 0, nextAt: at(10) });
  t.like(step({}, { at: 9.9, since: -1 }), { runs: '', start: 0, nextAt: at(10) });
  t.like(step({ nextAt: at(10) }, { at: 9.9 }), { runs: '', start: null, nextAt: at(10) });
});

test('of times that came before the process began the newest runs, and the others are listed; or all are', (t) => {
  t.like(step({}, { at: 35, since: 31 }), { runs: 'missed 0, missed 10, missed 20', start: 30, nextAt: at(40) });
  t.like(step({ missed: 'skip' }, { at: 35, since: 31 }), {
    runs: 'missed 0, missed 10, missed 20, missed 30',
    start: null,
  });
  t.like(step({ missed: 'skip' }, { at: 35, since: 25 }), { runs: 'missed 0, missed 10, missed 20', start: 30 });
});

test('one run represents the oldest of very many missed times', (t) => {
  const { all, start } = step({}, { at: 10 * 5_000, since: 10 * 5_001 });
  t.is(all.length, QUEUE_LIMIT);
  t.like(all[0], { at: at(0), upTo: at(10 * 4_000), status: 'missed' });
  t.is(all[1]?.at, at(10 * 4_001));
  t.is(start, 10 * 5_000);
});

test('a time that is due while a run is active is skipped, or waits in the queue and starts when it has ended', (t) => {
  t.like(step({}, { at: 5, isActive: true }), { runs: 'skipped 0', start: null });
  const waiting = step({ overlap: 'queue' }, { at: 15, isActive: true });
  t.like(waiting, { runs: 'queued 0, queued 10', start: null, queue: [at(0), at(10)], lookAt: at(15) });
  const later = { overlap: 'queue' as const, queue: waiting.queue, nextAt: at(20) };
  t.like(step(later, { at: 16, isActive: true }), { runs: '', start: null, lookAt: at(16) });
  t.like(step(later, { at: 16 }), { runs: '', start: 0, queue: [at(10)] });
  t.like(step({ ...later, paused: true, nextAt: null }, { at: 16 }), { start: null, lookAt: null });
  t.like(step(later, { at: 21 }), { runs: 'queued 20', start: 0, queue: [at(10), at(20)] }, 'in their order');
  const full = { ...later, queue: Array.from({ length: QUEUE_LIMIT }, (_, n) => at(-n)) };
  t.like(step(full, { at: 21, isActive: true }), { runs: 'skipped 20' });
});

test('nothing is due after the end of a schedule, and everything until then', (t) => {
  t.like(step({ until: at(20) }, { at: 100, isActive: true }), {
    runs: 'skipped 0, skipped 10, skipped 20',
    nextAt: null,
  });
  t.like(step({ when: { at: at(0) } }, { at: 100 }), { start: 0, nextAt: null, lookAt: at(100) });
});

test('due times between two moments begin with the first one, and end before the last', (t) => {
  const at = (time: string) => Date.parse(`2026-05-01T${time}:00Z`);
  const between = (when: Parameters<typeof duesBetween>[0]['when'], until: string | null = null) =>
    [...duesBetween({ when, until }, at('01:00'), at('04:00'))].map(({ from }) => from.slice(11, 16));
  t.deepEqual(between({ cron: '0 * * * *', zone: 'UTC' }), ['01:00', '02:00', '03:00']);
  t.deepEqual(between({ cron: '0 * * * *', zone: 'UTC' }, '2026-05-01T02:30:00.000Z'), ['01:00', '02:00']);
  t.deepEqual(between({ at: '2026-05-01T04:00:00.000Z' }), []);
  t.deepEqual(between({ everySec: 5_400, from: '2026-05-01T00:00:00.000Z' }), ['01:30', '03:00']);
});
