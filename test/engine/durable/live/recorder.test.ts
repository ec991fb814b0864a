/** The recorder with a record that rejects some rows, as a store does whose indexes cannot hold one of their values. */
import test from 'ava';
import { workflowKind } from '../../../../engine/durable/live/kinds.ts';
import { RecordDelay } from '../../../../engine/durable/live/record-delay.ts';
import { Recorder, type RestingRow } from '../../../../engine/durable/live/recorder.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { invalidInput, NodewrightError } from '../../../../engine/vocabulary/errors.ts';

const rowOf = (id: string, status: WorkflowRow['status'] = 'running') =>
  ({ id, status, pending: false }) as WorkflowRow;

/** @param errorOf a row that the record does not take */
function recordedBy(errorOf: (id: string) => Error | undefined, idle: WorkflowRow[] = []) {
  const [recorded, rested, reported]: [string[], string[], unknown[]] = [[], [], []];
  const taking = (into: string[]) => async (rows: readonly WorkflowRow[]) => {
    for (const { id } of rows) {
      const error = errorOf(id);
      if (error !== undefined) throw error;
    }
    into.push(...rows.map(({ id }) => id));
  };
  const live: RestingRow<WorkflowRow> = {
    recordDelay: new RecordDelay(),
    record: taking(recorded),
    takeUnrecorded: async () => [],
    takeIdle: async () => idle.splice(0),
    rest: taking(rested),
    purge: async () => {},
  };
  const recorder = new Recorder(live, workflowKind, (error) => reported.push(error));
  return { recorder, recorded, rested, reported };
}

const unstorable = (id: string) => (id === 'b' ? invalidInput('domain', 'is a text with a lone surrogate') : undefined);

test('a row that the record rejects is reported, and the others are recorded', async (t) => {
  const { recorder, recorded, reported } = recordedBy(unstorable);
  for (const id of ['a', 'b', 'c']) recorder.note(rowOf(id));
  await recorder.close();
  t.deepEqual(recorded, ['a', 'c']);
  t.is(reported.length, 1);
  await recorder.close();
  t.deepEqual(recorded, ['a', 'c']);
});

test('a row that the record rejects keeps no other row from resting', async (t) => {
  const rows = ['a', 'b', 'c'].map((id) => rowOf(id));
  const { recorder, rested } = recordedBy(unstorable, rows);
  recorder.start();
  t.teardown(() => recorder.close());
  while (rested.length < 2) await new Promise(setImmediate);
  t.deepEqual(rested, ['a', 'c']);
});

test('while the record is away, all rows wait', async (t) => {
  const { recorder, recorded } = recordedBy(() => new NodewrightError('UNAVAILABLE', 'the store is away'));
  recorder.note(rowOf('a'));
  await t.throwsAsync(recorder.close(), { code: 'UNAVAILABLE' });
  t.deepEqual(recorded, []);
});
