/** Properties over every graph that ships and every fixture: pure steps, in any order that the world may bring. */
import test from 'ava';
import fc from 'fast-check';
import type { WorkflowMessage } from '../../../engine/actors/messages.ts';
import { isActive, isCallEnd } from '../../../engine/define/states.ts';
import { everyGraph } from '../../support/catalogue.ts';
import { Drive } from '../../support/drive.ts';

/** Options under which a graph of the catalogue can start. */
const options = {
  defaults: {
    ...{ ledger: '/dev/null', line: 'x', failures: 0, duration: 5, when: 'true', user: 'root', password: 'x' },
    eraseSettings: [{ disks: ['sda'] }],
  },
};

const STEPS_LIMIT = 200;

/** What the world may do next; the numbers choose among what is possible. */
const move = fc.record({
  kind: fc.constantFrom('done', 'done', 'done', 'fail', 'wake', 'repeat', 'cancel'),
  which: fc.nat(100),
});

/** What tasks of a graph may become from where they are. */
const legal: Record<string, string[]> = {
  pending: ['running', 'waiting', 'failed', 'cancelled', 'skipped'],
  running: ['waiting', 'running', 'succeeded', 'failed', 'timeout', 'cancelled'],
  waiting: ['running', 'waiting', 'succeeded', 'failed', 'timeout', 'cancelled'],
};
for (const end of ['succeeded', 'failed', 'timeout', 'cancelled']) legal[end] = ['running', 'waiting', 'failed'];

function play(drive: Drive, kind: string, which: number, said: WorkflowMessage[]): void {
  const work = drive.works[which % Math.max(1, drive.works.length)];
  const say = (message: WorkflowMessage) => {
    said.push(message);
    drive.tell(message);
  };
  if (kind === 'cancel') say({ type: 'cancel' });
  else if (kind === 'repeat' && said.length > 0) drive.tell(said[which % said.length] as WorkflowMessage);
  else if (kind === 'wake' || work === undefined) drive.wake();
  else if (kind === 'fail') say({ type: 'work.failed', work: work.id, error: { name: 'E', message: 'm', code: 'C' } });
  else say({ type: 'work.done', work: work.id, output: { which } });
}

/** All goes well from here on. @returns false when nothing moves any more */
function finish(drive: Drive): boolean {
  for (let n = 0; isActive(drive.row.status) && n < STEPS_LIMIT; n += 1) {
    const [work] = drive.works;
    if (work === undefined ? !drive.wake() : !drive.done(work)) return false;
  }
  return !isActive(drive.row.status);
}

for (const graph of everyGraph) {
  test(`${graph.name}: whatever comes, it ends, once, and nothing is left under way`, (t) => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        const drive = new Drive(graph, options);
        const said: WorkflowMessage[] = [];
        for (const { kind, which } of moves) play(drive, kind, which, said);
        if (!finish(drive)) return false;
        const { row } = drive;
        const ended = row.tasks.every(({ state }) => isCallEnd(state) || state === 'skipped');
        const idle = Object.keys(row.works).length + Object.keys(row.timers).length === 0 && row.wakeAt === null;
        const notes = drive.todos.flatMap((todo) => todo.events);
        const once = ['started', 'finished'].every(
          (action) => notes.filter((note) => note.action === action).length === 1,
        );
        const freed = drive.effects.filter((effect) => effect.kind === 'tell-node' && effect.message.type === 'ended');
        return ended && idle && once && freed.length === 1;
      }),
      { numRuns: 60 },
    );
    t.pass();
  });

  test(`${graph.name}: an end that is told again, or after the workflow's own, changes nothing`, (t) => {
    const drive = new Drive(graph, options);
    const said: WorkflowMessage[] = [];
    while (isActive(drive.row.status)) play(drive, 'done', 0, said);
    const before = JSON.stringify(drive.row);
    for (const message of [...said, { type: 'cancel' } as const, { type: 'wake' } as const])
      t.false(drive.tell(message));
    t.is(JSON.stringify(drive.row), before);
  });

  test(`${graph.name}: its tasks only go where tasks may go`, (t) => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        const drive = new Drive(graph, options);
        for (const { kind, which } of moves) play(drive, kind, which, []);
        return drive.history
          .filter(({ label, from, to }) => label !== undefined && from !== to)
          .every(({ from, to }) => legal[from]?.includes(to) ?? false);
      }),
      { numRuns: 40 },
    );
    t.pass();
  });

  test(`${graph.name}: cancelled before any of its steps, it ends cancelled and frees its node`, (t) => {
    for (let before = 0; before < STEPS_LIMIT; before += 1) {
      const drive = new Drive(graph, options);
      for (let n = 0; n < before && isActive(drive.row.status); n += 1) play(drive, 'done', 0, []);
      if (!isActive(drive.row.status)) return t.pass();
      drive.tell({ type: 'cancel' });
      drive.quiet();
      t.is(drive.row.status, 'cancelled');
      t.true(drive.states()[drive.row.tasks[0]?.label as string] !== 'running');
    }
  });

  test(`${graph.name}: whichever of its calls fails, it ends and says so in that task's entry`, (t) => {
    for (let before = 0; before < STEPS_LIMIT; before += 1) {
      const drive = new Drive(graph, options);
      for (let n = 0; n < before && isActive(drive.row.status); n += 1) play(drive, 'done', 0, []);
      const [work] = drive.works;
      if (!isActive(drive.row.status)) return t.pass();
      if (work === undefined) continue;
      const label = drive.row.cells[`call:${work.call}`]?.label;
      drive.tell({ type: 'work.failed', work: work.id, error: { name: 'E', message: 'm', code: 'C', retry: false } });
      const entry = drive.row.tasks.find((task) => task.label === label);
      t.is(entry?.state, 'failed');
      t.is(entry?.error?.code, 'C');
      t.true(finish(drive));
    }
  });
}
