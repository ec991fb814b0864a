/** Running activities are compared with their rows, because a message about a cancel may be lost. */
import test from 'ava';
import { Rows } from '../../../../engine/durable/runtime/rows.ts';
import { Worker } from '../../../../engine/durable/runtime/worker.ts';
import { openActivities } from '../../../../engine/durable/step/operations.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { newRow, stepped } from '../../../conformance/live.ts';
import { seen } from '../../../support/faults/workload.ts';

type Handler = (job: object, signal: AbortSignal, isNew: boolean) => Promise<void>;

test('an activity whose step Redis has lost is not aborted before the step is there again; one that is over in its row is', async (t) => {
  const before = newRow();
  let stored = before;
  let looks = 0;
  const live = {
    remember() {},
    isReplicated: () => false,
    get: async () => stored,
    async getAll() {
      looks += 1;
      return [stored];
    },
    async save(changes: { row: WorkflowRow }[]) {
      for (const { row } of changes) stored = row;
      return changes.map(() => true);
    },
  };
  const rows = new Rows<WorkflowRow>(live as never, true);
  const step = await rows.step(before.id, async (row) => ({ changed: true, row: stepped(row), replies: [] }));
  const last = step?.row as WorkflowRow;
  const [operation] = openActivities(last);
  t.false(operation === undefined || operation.id in before.operations);

  let handler: Handler | undefined;
  const queue = {
    close: async () => {},
    async consume(given: Handler) {
      handler = given;
    },
  };
  const perform = (_row: WorkflowRow, _operation: unknown, signal: AbortSignal) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
  const worker = new Worker(rows, {} as never, { perform } as never, queue as never, (_, error) =>
    t.fail(String(error)),
  );
  await worker.start(1);
  const chain = handler?.({ workflow: last.id, chain: operation?.chain }, new AbortController().signal, true);
  // A replica that lacks the step takes the place of the server.
  stored = before;
  await seen(async () => looks >= 2);
  t.is(worker.runningCount, 1);
  stored = { ...last, version: last.version + 1, operations: {} };
  await chain;
  t.is(worker.runningCount, 0);
  await worker.close(0);
});
