/** The rules for the commands to a workflow: each that is not taken has a reason. */
import test from 'ava';
import { workflowCan } from '../../api/console/data/workflow-can.ts';

type State = Parameters<typeof workflowCan.retryNow>[0];

const running: State = { status: 'running', paused: null, parent: null, error: null, tasks: [] };
const failed: State = { ...running, status: 'failed' };
const paused: State = { ...running, paused: { at: '2026-01-01T00:00:00Z', by: 'ada' } };

const taken = (state: State) =>
  Object.entries(workflowCan).flatMap(([command, reason]) => (reason(state) === undefined ? [command] : []));

test('a workflow takes the commands that make sense in its state', (t) => {
  t.deepEqual(taken(running), ['cancel', 'pause']);
  t.deepEqual(taken(paused), ['cancel', 'resume']);
  t.deepEqual(taken(failed), ['retry', 'retryFailed']);
  t.deepEqual(taken({ ...failed, status: 'succeeded' }), ['retry']);
  t.deepEqual(taken({ ...running, tasks: [{ waitingOn: 'bmc' }] }), ['cancel', 'pause', 'retryNow']);
});

test('the others say why not', (t) => {
  t.is(workflowCan.retry(running), 'The workflow has not ended: cancel it first.');
  t.is(workflowCan.retry({ ...failed, parent: 'w' }), 'It is a part of another workflow: run that one again.');
  t.is(workflowCan.pause(failed), 'The workflow has ended.');
  t.is(workflowCan.resume(running), 'The workflow is not paused.');
});
