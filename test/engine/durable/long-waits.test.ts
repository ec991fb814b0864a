/**
 * Waits that are longer than the limit of a Node timer: it accepts at most 2^31 - 1 ms, and fires immediately above that.
 */
import test from 'ava';
import { delay } from '../../../engine/define/delay.ts';
import { openEngine } from '../../support/engine/engine.ts';

const LONG_MS = 3_000_000_000;

test('a task with a timeout above the timer limit waits, and can be cancelled', async (t) => {
  const daemon = await openEngine();
  t.teardown(() => daemon.close());
  const tasks = [
    { label: 'busy', taskName: 'Task.noop' },
    { label: 'asleep', taskName: 'Task.Sleep' },
    { label: 'limited', taskName: 'Task.noop' },
  ];
  await daemon.engine.library.putGraph({ friendlyName: 'long', injectableName: 'Graph.Long', tasks });
  const { id } = await daemon.launch('Graph.Long', {
    busy: { delay: LONG_MS },
    asleep: { duration: LONG_MS },
    limited: { delay: LONG_MS, _taskTimeout: Number.MAX_SAFE_INTEGER },
  });
  await daemon.reached(id, 'busy', 'running');
  // Later than each of them would have ended if its timer had fired immediately.
  for (let round = 0; round < 3; round += 1) await daemon.finished((await daemon.launch('Graph.noop-example')).id);
  t.deepEqual(await daemon.states(id), { busy: 'running', asleep: 'waiting', limited: 'running' });
  await daemon.engine.control.cancel(id);
  t.is((await daemon.finished(id)).status, 'cancelled');
});

test('an aborted delay rejects with the reason, even a long one', async (t) => {
  const aborting = new AbortController();
  const waits = delay(LONG_MS, aborting.signal);
  aborting.abort(new Error('enough'));
  await t.throwsAsync(waits, { name: 'AbortError' });
  await delay(0);
  await delay(5);
  t.pass();
});
