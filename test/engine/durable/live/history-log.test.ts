/** The documents of a history: none is larger than a document of MongoDB may be. */
import test from 'ava';
import { chunksOf, stepsAfter, stepsIn } from '../../../../engine/durable/live/history-log.ts';
import type { HistoryStep } from '../../../../engine/durable/step/row.ts';

const stepAt = (version: number): HistoryStep => ({
  id: `w.${String(version).padStart(10, '0')}`,
  workflow: 'w',
  version,
  at: '2026-01-01T00:00:00.000Z',
  last: version,
  lines: [{ event: 'timer', from: 'a', to: 'b' }],
  origin: { by: null } as never,
});

const steps = Array.from({ length: 50_000 }, (_, at) => stepAt(at + 1));

test('a long history is several documents, which have each of its steps once', (t) => {
  const chunks = chunksOf(steps);
  for (const chunk of chunks) t.true(JSON.stringify(chunk).length < 1_000_000);
  t.deepEqual(stepsAfter(0, chunks.flatMap(stepsIn)), steps);
  t.deepEqual(
    chunks.map(({ last, version }) => [last, version]),
    chunks.map(({ steps: own }) => [own.at(-1)?.last, own.at(-1)?.version]),
  );
});

test('a history that has become longer leaves its earlier documents as they are', (t) => {
  const before = chunksOf(steps.slice(0, 4_500));
  const after = chunksOf(steps.slice(0, 4_700));
  t.deepEqual(after.slice(0, -1), before.slice(0, -1));
  t.is(after.at(-1)?.id, before.at(-1)?.id);
});
