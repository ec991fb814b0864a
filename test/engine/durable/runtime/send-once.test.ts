/**
 * The obm of activities: no command is sent without a saved mark, and the mark stays unless the command was certainly
 * not sent.
 */
import test, { type ExecutionContext } from 'ava';
import { type Obm, ObmError } from '../../../../engine/define/obm.ts';
import type { WorkflowMessage } from '../../../../engine/durable/actors/messages.ts';
import { type RunningActivity, sendOnce } from '../../../../engine/durable/runtime/send-once.ts';
import type { Operation } from '../../../../engine/durable/step/row.ts';
import type { NodeDriver } from '../../../../engine/hardware/obm/driver.ts';
import { noopObm } from '../../../../engine/hardware/obm/noop-driver.ts';
import { Run } from '../../../../engine/kit/run.ts';
import { graphOfList } from '../../../../engine/library/forms/list-of-tasks.ts';
import { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import { NEVER } from '../../../support/ava/never.ts';
import { everyTask } from '../../../support/data/catalogue.ts';

const NODE = 'node-1';

interface Scene {
  drive: Run;
  /** The commands that were sent. */
  left: string[];
  messages: WorkflowMessage[];
  /** The obm that an activity of the process gets now. */
  obm(by?: string): Obm;
  /** The behaviour of the driver after it was committed. */
  answer: () => Promise<void>;
  /** The store is away for this number of messages. */
  away: number;
}

function scene(): Scene {
  const named = (name: string) => everyTask.find((task) => task.name === name);
  const tasks = [{ label: 'it', taskName: 'Task.Obm.Node.PowerOff' }];
  const json = { friendlyName: 'One', injectableName: 'Graph.One', tasks };
  const drive = new Run(graphOfList(json, { any: named, code: named }, { kind: 'api' }));
  drive.send({ type: 'work.claim', operation: 'w1', by: 'p1' });
  const one: Scene = {
    drive,
    left: [],
    messages: [],
    away: 0,
    answer: async () => {},
    obm(by = 'p1') {
      const send: RunningActivity['send'] = {
        async workflow(_id, message) {
          one.messages.push(message);
          const isAway = one.away > 0;
          one.away -= 1;
          // Every second write is saved nevertheless, and only its answer is lost.
          if (!isAway || one.away % 2 === 0) drive.send(message);
          if (isAway) throw new NodewrightError('UNAVAILABLE', 'the store is away');
          return { changed: true, row: drive.row, settled: Promise.resolve(true) };
        },
      };
      return sendOnce(driver, NODE, { row: drive.row, operation: drive.row.operations.w1 as Operation, by, send });
    },
  };
  const driver: NodeDriver = {
    ...noopObm,
    async power(action, _signal, commit) {
      await commit();
      one.left.push(action);
      await one.answer();
    },
  };
  return one;
}

const failing = async (t: ExecutionContext, operation: Promise<unknown>): Promise<ObmError> =>
  (await t.throwsAsync(operation)) as ObmError;

test('the mark is saved before the command is sent', async (t) => {
  const one = scene();
  one.answer = async () => void t.is(Object.keys(one.drive.row.actors['taskRun:1']?.sent ?? {}).length, 1);
  await one.obm().power('off', NEVER);
  t.deepEqual(one.left, ['off']);
});

test('a second attempt fails as unanswered, in this activity, in a later one and in another process', async (t) => {
  const one = scene();
  const first = one.obm();
  await first.power('off', NEVER);
  for (const obm of [first, one.obm(), one.obm('p2')]) {
    t.like(await failing(t, obm.power('off', NEVER)), { code: 'OBM_UNANSWERED', sent: true });
  }
  t.deepEqual(one.left, ['off']);
  await one.obm().power('reset', NEVER);
  t.deepEqual(one.left, ['off', 'reset']);
});

test('one of two concurrent commands is sent', async (t) => {
  const one = scene();
  const obms = [one.obm(), one.obm()];
  const ends = await Promise.allSettled(obms.map((obm) => obm.power('off', NEVER)));
  t.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  t.deepEqual(one.left, ['off']);
});

test('only an error that says that nothing was sent permits another attempt', async (t) => {
  const certain = new ObmError('OBM_UNREACHABLE', 'away');
  const open: Error[] = [
    new ObmError('OBM_FAILED', 'Unspecified error'),
    new ObmError('OBM_UNANSWERED', 'in time', { sent: true }),
    new Error('of any kind'),
  ];
  for (const error of [certain, ...open]) {
    const one = scene();
    one.answer = () => Promise.reject(error);
    const thrown = await failing(t, one.obm().power('off', NEVER));
    t.is(thrown.message, error.message);
    t.is(thrown.sent, error !== certain, error.message);
    one.answer = async () => {};
    const again = one.obm().power('off', NEVER);
    if (error === certain) await again;
    else await failing(t, again);
    t.is(one.left.length, error === certain ? 2 : 1, error.message);
  }
});

test('a command that was cancelled after it was sent keeps its mark', async (t) => {
  const one = scene();
  const abort = new AbortController();
  one.answer = async () => {
    abort.abort(new Error('enough'));
    throw abort.signal.reason;
  };
  t.is((await failing(t, one.obm().power('off', abort.signal))).message, 'enough');
  t.like(await failing(t, one.obm().power('off', NEVER)), { sent: true });
});

test('a short outage of the store leaves a command neither unsent nor sent twice', async (t) => {
  for (const away of [1, 2, 3]) {
    const one = scene();
    one.away = away;
    await one.obm().power('off', NEVER);
    t.deepEqual(one.left, ['off']);
    t.is(one.messages.length, away + 1);
  }
});

test('a process that has lost its claim sends nothing', async (t) => {
  const one = scene();
  const obm = one.obm();
  one.drive.send({ type: 'work.claim', operation: 'w1', by: 'p2', over: 'p1' });
  t.is(((await failing(t, obm.power('off', NEVER))) as { code: string }).code, 'TASK_INTERRUPTED');
  t.deepEqual(one.left, []);
});
