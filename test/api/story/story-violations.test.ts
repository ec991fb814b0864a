/** The rules of stories: what no fault excuses. */
import test from 'ava';
import type { StoryEffect } from '../../../api/story/story-record.ts';
import { storyViolations } from '../../../api/story/story-violations.ts';
import type { Task } from '../../../engine/library/types.ts';

type Judged = Parameters<typeof storyViolations>[0];

const taskOf = (given: Partial<Task>) => given as Task;
const reboot = taskOf({ recovery: 'once', destructive: false, power: 'cycle' });
const erase = taskOf({ recovery: 'once', destructive: true, power: undefined });
const runOf = (task: Task, ...states: string[]) => ({ task, states: new Set(states) });
const effect = (kind: StoryEffect['kind'], what: string, outcome: string, by = 'root'): StoryEffect => ({
  atMs: 0,
  kind,
  what,
  outcome,
  by,
});
const judged = (given: Partial<Judged>) =>
  storyViolations({ status: 'succeeded', ledger: [], runs: [], waits: [], elapsed: '25 h', ...given });

test('a workflow that has not ended is a violation, with what it waits for', (t) => {
  t.deepEqual(judged({ status: 'running', waits: ['wait: for ever'] }), ['it has not ended in 25 h: wait: for ever']);
  t.deepEqual(judged({ status: 'failed' }), []);
});

test('a success without an effect is one, unless no task acted', (t) => {
  t.deepEqual(judged({ runs: [runOf(reboot, 'running', 'succeeded')] }), [
    'it succeeded, and nothing was done to the machine',
  ]);
  t.deepEqual(judged({ runs: [runOf(reboot, 'skipped')] }), []);
  t.deepEqual(judged({ status: 'failed', runs: [runOf(reboot, 'running', 'succeeded')] }), []);
});

test('an effect that is there more often than tasks that act once is one', (t) => {
  const [runs, reset] = [[runOf(reboot, 'succeeded')], effect('power', 'reset On', 'done')];
  t.deepEqual(judged({ runs, ledger: [reset] }), []);
  t.deepEqual(judged({ runs, ledger: [reset, effect('power', 'reset On', 'ignored')] }), []);
  t.deepEqual(judged({ runs, ledger: [reset, reset] }), ['reset On was done 2 times by 1 run of tasks that act once']);
});

test('work that a boot has ended may begin again, other work may not', (t) => {
  const runs = [runOf(erase, 'succeeded'), runOf(reboot, 'succeeded')];
  const scrub = (outcome: string) => effect('erase', 'sda scrub nnsa', outcome, 'agent');
  t.deepEqual(judged({ runs, ledger: ['begun', 'lost', 'begun', 'done'].map(scrub) }), []);
  t.is(judged({ runs, ledger: ['begun', 'done', 'begun', 'done'].map(scrub) }).length, 1);
});
