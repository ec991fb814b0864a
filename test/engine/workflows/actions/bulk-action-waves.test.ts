/** A daemon that dies at any call of a bulk action: another one finishes it, and each workflow gets the command once. */
import test from 'ava';
import { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import type { BulkCommand } from '../../../../engine/vocabulary/states.ts';
import { BulkActionWaves } from '../../../../engine/workflows/actions/bulk-action-waves.ts';
import {
  type BulkItem,
  bulkActionSpec,
  bulkActionView,
  type StoredBulkAction,
} from '../../../../engine/workflows/actions/stored-bulk-action.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { Life } from '../../../support/faults/dying-store.ts';

const COUNT = 70;

async function scene(command: BulkCommand) {
  const store = new MemoryStore();
  const actions = await store.collection<StoredBulkAction>(bulkActionSpec);
  const paused = new Set(Array.from({ length: COUNT }, (_, n) => `w${n}`));
  const retries = new Map<string, string>();
  const items = Object.fromEntries([...paused].map((workflow, n): [string, BulkItem] => [String(n), { workflow }]));
  const at = new Date(0).toISOString();
  const rest = { options: {}, acknowledge: false, createdBy: null, createdAt: at, updatedAt: at };
  await actions.insert({ id: 'a', command, status: 'running', items, pending: true, ...rest });
  const daemon = async (life: Life) =>
    new BulkActionWaves({
      actions: await life.store(store).collection<StoredBulkAction>(bulkActionSpec),
      launches: {
        retryOnce: (id, earlier) =>
          life.call(async () => {
            retries.set(id, earlier);
            return true;
          }),
      },
      control: {
        cancel: async () => undefined,
        pause: async () => undefined,
        resume: (id) =>
          life.call(async () => {
            if (!paused.delete(id)) throw new NodewrightError('CONFLICT', `the workflow ${id} is running`);
            return {} as never;
          }),
      },
      failed: () => {},
    });
  const work = async (life: Life) => {
    const waves = await daemon(life);
    while (await waves.wave('a'));
  };
  return { actions, paused, retries, work };
}

for (const command of ['resume', 'retry'] as const)
  for (const moment of ['before', 'after'] as const)
    test(`${command}: a death ${moment} any call leaves an action that another daemon finishes with the right outcomes`, async (t) => {
      for (const calls of [0, 1, 2, 20, 52, 53, 54, 60, 75, 76]) {
        const it = await scene(command);
        const life = new Life();
        life.dieAfter(calls, moment);
        await it.work(life).catch(() => {});
        await it.work(new Life());
        const action = await it.actions.get('a');
        t.like(action, { status: 'finished', pending: false }, `dead at ${calls}`);
        t.deepEqual(bulkActionView(action as StoredBulkAction).counts, {
          pending: 0,
          succeeded: COUNT,
          rejected: 0,
          cancelled: 0,
        });
        if (command === 'resume') t.is(it.paused.size, 0);
        else t.is(it.retries.size, COUNT);
      }
    });

test('a cancelled action leaves what has no mark, and finishes what has one', async (t) => {
  const { actions, paused, work } = await scene('resume');
  const life = new Life();
  // At the first command, behind the mark of its wave.
  life.dieAfter(2, 'before');
  await work(life).catch(() => {});
  await actions.update({ id: 'a' }, { $set: { status: 'cancelled' } });
  await work(new Life());
  t.is(paused.size, COUNT - 50);
  const { counts, status } = bulkActionView((await actions.get('a')) as StoredBulkAction);
  t.deepEqual(
    { counts, status },
    { counts: { pending: 0, succeeded: 50, rejected: 0, cancelled: 20 }, status: 'cancelled' },
  );
});
