/** Which deaths of a daemon are attributed to a workflow. */
import test from 'ava';
import { quarantineError } from '../../../../engine/durable/step/quarantined.ts';
import type { Evidence, Fate } from '../../../../engine/durable/watchdog/marker.ts';
import {
  IN_A_ROW,
  IN_ALL,
  isOld,
  type Suspect,
  Suspects,
  suspectSpec,
} from '../../../../engine/durable/watchdog/suspects.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const DAY_MS = 86_400_000;

const evidence = (fate: Fate, workflow = 'w'): Evidence => ({
  workflow,
  graph: 'Graph.G',
  cause: 'work.done',
  fate,
  blockedMs: fate === 'blocked' ? 5_000 : 0,
});

const opened = async (store = new MemoryStore()) => new Suspects(await store.collection<Suspect>(suspectSpec));

test('code that blocked or ended the daemon is suspect immediately', async (t) => {
  const suspects = await opened();
  t.regex((await suspects.strike(evidence('blocked', 'a'), null, NOW)) ?? '', /Graph\.G .* did not return for 5000 ms/);
  t.regex((await suspects.strike(evidence('exited', 'b'), null, NOW)) ?? '', /process\.exit/);
});

test('a process that died without a trace is a strike, and only consecutive strikes without a step between condemn a workflow', async (t) => {
  const suspects = await opened();
  for (let n = 1; n < IN_A_ROW; n += 1) t.is(await suspects.strike(evidence('died'), 'step 1', NOW), undefined);
  t.is(await suspects.strike(evidence('died'), 'step 2', NOW), undefined, 'a step was saved between');
  for (let n = 2; n < IN_A_ROW; n += 1) t.is(await suspects.strike(evidence('died'), 'step 2', NOW), undefined);
  t.regex((await suspects.strike(evidence('died'), 'step 2', NOW)) ?? '', new RegExp(`${IN_A_ROW} times in a row`));
});

test('a workflow with steps between the deaths of daemons is found as well', async (t) => {
  const suspects = await opened();
  for (let n = 1; n < IN_ALL; n += 1) t.is(await suspects.strike(evidence('died'), `step ${n}`, NOW), undefined);
  t.regex((await suspects.strike(evidence('died'), 'step', NOW)) ?? '', new RegExp(`${IN_ALL} times`));
});

test('daemons on one store count together', async (t) => {
  const store = new MemoryStore();
  const verdicts: (string | undefined)[] = [];
  for (let n = 0; n < IN_A_ROW; n += 1) {
    verdicts.push(await (await opened(store)).strike(evidence('died'), null, NOW));
  }
  t.deepEqual(
    verdicts.map((verdict) => verdict !== undefined),
    Array.from({ length: IN_A_ROW }, (_, n) => n === IN_A_ROW - 1),
  );
});

test('only quarantined workflows are counted, and strikes expire after a week', async (t) => {
  const suspects = await opened();
  await suspects.strike(evidence('died', 'struck'), null, NOW);
  await suspects.quarantine(
    { id: 'blocked', graph: 'Graph.G', cause: '--suspend' },
    quarantineError('it was tried'),
    NOW,
  );
  t.deepEqual(await suspects.quarantinedIds(), ['blocked']);
  const struck = (await suspects.all()).find(({ id }) => id === 'struck') as Suspect;
  t.false(isOld(struck, NOW + DAY_MS));
  t.true(isOld(struck, NOW + 8 * DAY_MS));
});
