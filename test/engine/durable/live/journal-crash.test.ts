/** A process dies, and the next one makes documents of the journal that it left. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { workflowKind } from '../../../../engine/durable/live/kinds.ts';
import { type NodeRow, newNodeRow, nodeStep } from '../../../../engine/durable/step/node.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { newRow, shown, stepped } from '../../../conformance/live.ts';
import {
  dyingStore,
  entryCount,
  type JournalProcess,
  openJournaledStore,
  startJournal,
} from '../../../support/engine/journal.ts';
import { Life } from '../../../support/faults/dying-store.ts';

const ended = (row: WorkflowRow): WorkflowRow => ({ ...row, version: row.version + 1, status: 'failed' });
const tidied = (row: WorkflowRow): WorkflowRow => ({
  ...row,
  version: row.version + 1,
  pendingEffects: [],
  pending: false,
});

/** A workflow and the versions of its steps with history, as far as they were answered. */
interface Known {
  row: WorkflowRow | undefined;
  steps: number[];
}

class Model {
  readonly all = new Map<string, Known>();
  process: JournalProcess;

  constructor(process: JournalProcess) {
    this.process = process;
  }

  async insert(): Promise<void> {
    const row = newRow();
    this.all.set(row.id, { row: undefined, steps: [] });
    await this.process.workflows.insert([row]);
    this.#answered(row);
  }

  async change(known: Known, next: (row: WorkflowRow) => WorkflowRow, settles = false): Promise<void> {
    const before = known.row;
    if (before === undefined) return;
    const row = next(before);
    const [saved] = await this.process.workflows[settles ? 'settle' : 'save']([{ before, row }]);
    if (saved instanceof Error) throw saved;
    if (saved !== true) throw new Error(`version ${row.version} of ${row.id} was not saved`);
    this.#answered(row);
  }

  async remove(known: Known): Promise<void> {
    const id = known.row?.id;
    if (id === undefined) return;
    await this.process.workflows.remove(id);
    known.row = undefined;
    known.steps = [];
  }

  #answered(row: WorkflowRow): void {
    const known = this.all.get(row.id) as Known;
    known.row = row;
    if (workflowKind.historyStep(row) !== undefined) known.steps.push(row.version);
  }
}

const acts = ['insert', 'step', 'step', 'tidy', 'end', 'rest', 'remove', 'crash', 'crash in the fold'] as const;
const moves = fc.array(fc.record({ act: fc.constantFrom(...acts), pick: fc.nat(5) }), { minLength: 5, maxLength: 25 });

test('whatever rows do before and between deaths of the process, each answered step is there once, with its history', async (t) => {
  const store = await openJournaledStore(t);
  await fc.assert(
    fc.asyncProperty(moves, async (taken) => {
      const model = new Model(await startJournal(store));
      await model.insert();
      for (const { act, pick } of taken) {
        const known = [...model.all.values()][pick % model.all.size] as Known;
        if (act === 'insert') await model.insert();
        else if (act === 'step') await model.change(known, (row) => stepped(row, pick, pick % 2 === 0));
        else if (act === 'tidy') await model.change(known, tidied, true);
        else if (act === 'end') await model.change(known, (row) => ended(tidied(row)), true);
        else if (act === 'rest') await model.process.rest(true);
        else if (act === 'remove') await model.remove(known);
        else {
          const life = new Life();
          if (act === 'crash in the fold') life.dieAfter(0, pick % 2 === 0 ? 'before' : 'after');
          await startJournal(dyingStore(store, life)).catch(() => {});
          model.process = await startJournal(store);
        }
      }
      model.process = await startJournal(store);
      t.is(await entryCount(store), 0);
      for (const [id, { row, steps }] of model.all) {
        t.deepEqual(shown(await model.process.workflows.get(id)), shown(row));
        t.deepEqual(
          (await model.process.history.after(id, 0, 1_000)).map(({ version }) => version),
          steps,
        );
      }
    }),
    { numRuns: 60 },
  );
});

for (const moment of ['before', 'after'] as const) {
  test(`a process that dies at any of its writes, ${moment} it takes effect, leaves each answered step, and no half of a pair`, async (t) => {
    const store = await openJournaledStore(t);
    for (let calls = 0; ; calls += 1) {
      const life = new Life();
      const { workflows, nodes, together, rest } = await startJournal(dyingStore(store, life));
      life.dieAfter(calls, moment);
      let answered: WorkflowRow | undefined;
      const free = newNodeRow(randomUUID(), Date.now());
      const made = newRow(free.id);
      const taken: NodeRow = { ...nodeStep(free, { type: 'launch', start: made }, Date.now()).row, pendingEffects: [] };
      const save = async (row: WorkflowRow, before: WorkflowRow, method: 'save' | 'settle' = 'save') => {
        const [saved] = await workflows[method]([{ before, row }]);
        if (saved !== true) throw new Error('it was not saved');
        answered = row;
        return row;
      };
      const work = async () => {
        await nodes.insert([free]);
        t.deepEqual(await together([{ workflow: { row: made }, node: { holder: '', row: taken } }]), [2]);
        answered = made;
        const second = await save(stepped(made), made);
        await rest(true);
        const third = await save(stepped(second), second);
        await save(ended(tidied(third)), third, 'settle');
      };
      const isDone = await work().then(
        () => true,
        () => false,
      );
      const next = await startJournal(store);
      const [row, node] = [await next.workflows.get(made.id), await next.nodes.get(free.id)];
      t.true((row?.version ?? 0) >= (answered?.version ?? 0), `${calls} calls`);
      t.is(row === undefined, (node?.workflow ?? null) === null, `${calls} calls`);
      if (!isDone) continue;
      t.true(calls > 5);
      break;
    }
  });
}
