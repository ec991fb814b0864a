/** How long graphs usually take, for the site and for a team. */
import test from 'ava';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import {
  Durations,
  durationSpec,
  ENOUGH_RUNS,
  type StoredDurations,
} from '../../../../engine/workflows/diagnosis/durations.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const version = { definitionHash: 'h', graphName: 'Graph.A' };

test('members see how long workflows of their team take, and how many ran; the site sees all together', async (t) => {
  const stored = await new MemoryStore().collection<StoredDurations>(durationSpec);
  const durations = new Durations(stored, (error) => t.fail(String(error)));
  const end = (owner?: string) => {
    const row = { ...version, tasks: [], startedAt: '2026-01-01T00:00:00.000Z', ...(owner && { owner }) };
    const lines = [{ from: 'running', to: 'succeeded' }];
    durations.note(row as unknown as WorkflowRow, { lines, at: '2026-01-01T00:01:00.000Z' } as never);
  };
  for (let runs = 0; runs < ENOUGH_RUNS; runs += 1) for (const owner of ['a', undefined]) end(owner);
  end('b');
  await durations.store();
  const runsOf = async (team?: string) => (await durations.usualTimes(version, team)).get('')?.runs;
  t.is(await runsOf('a'), ENOUGH_RUNS);
  t.is(await runsOf('b'), 1);
  t.is(await runsOf('c'), undefined);
  t.is(await runsOf(), 2 * ENOUGH_RUNS + 1);
});
