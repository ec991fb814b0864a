/** The kinds of workflow of a campaign, with their allowed ends under faults. */
import { join } from 'node:path';

export interface Kind {
  graph: string;
  /** Relative frequency of launches. */
  weight: number;
  /** Only on a node; other kinds run with and without. */
  onNode?: true;
  /** Number of notifications that it waits for. */
  signals?: number;
  /** It hangs until it is cancelled. */
  cancelled?: true;
  /** It waits for no input, so the daemons cause all its delays. */
  steady?: true;
  ends: readonly string[];
}

/** Tasks that write to the ledger. */
export const AGAIN = 'Task.Fixture.Write';
export const ONCE = 'Task.Fixture.WriteOnce';
const ACT_MS = 150;

export const kinds: readonly Kind[] = [
  { graph: 'Graph.Chaos.Again', weight: 3, steady: true, ends: ['succeeded'] },
  // A once activity is interrupted when its process dies: its workflow may fail, and the activity must not run again.
  { graph: 'Graph.Chaos.Once', weight: 3, steady: true, ends: ['succeeded', 'failed'] },
  { graph: 'Graph.Chaos.Wide', weight: 2, steady: true, ends: ['succeeded'] },
  { graph: 'Graph.Chaos.Timer', weight: 2, steady: true, ends: ['succeeded'] },
  { graph: 'Graph.Fixture.Plain', weight: 1, steady: true, ends: ['succeeded'] },
  { graph: 'Graph.Chaos.Child', weight: 1, ends: ['succeeded'] },
  { graph: 'Graph.Demo.InstallOs', weight: 2, onNode: true, signals: 2, ends: ['succeeded'] },
  { graph: 'Graph.Chaos.Hang', weight: 2, onNode: true, cancelled: true, ends: ['cancelled'] },
];

export const kindOf = (graph: string): Kind | undefined => kinds.find((kind) => kind.graph === graph);

/** Returns the two ledger files of the campaign's folder. */
export const ledgers = (folder: string) => ({ once: join(folder, 'once'), again: join(folder, 'again') });

/** Returns the graphs without a file, as lists of tasks. */
export function graphsIn(folder: string): object[] {
  const { once, again } = ledgers(folder);
  const line = '{{ task.instanceId }}';
  const write = { taskName: AGAIN, optionOverrides: { ledger: again, ms: ACT_MS, line } };
  const writeOnce = { taskName: ONCE, optionOverrides: { ledger: once, ms: ACT_MS, line } };
  const sleep = { taskName: 'Task.Sleep', optionOverrides: { duration: 400 } };
  const hang = { taskName: 'Task.Fixture.Hang', optionOverrides: { ledger: join(folder, 'hang'), line } };
  const child = { taskName: 'Task.Graph.Run', optionOverrides: { graphName: 'Graph.Chaos.Again' } };
  return [
    list('Graph.Chaos.Again', chain(write, write, write, write)),
    list('Graph.Chaos.Once', chain(writeOnce, writeOnce, writeOnce, writeOnce)),
    list('Graph.Chaos.Wide', wide(write, 5)),
    list('Graph.Chaos.Timer', chain(sleep, write, sleep)),
    list('Graph.Chaos.Child', chain(child)),
    list('Graph.Chaos.Hang', chain(hang)),
  ];
}

const list = (injectableName: string, tasks: object[]) => ({ friendlyName: injectableName, injectableName, tasks });

const chain = (...tasks: object[]): object[] =>
  tasks.map((task, n) => ({ label: `t${n}`, ...task, ...(n > 0 && { waitOn: { [`t${n - 1}`]: 'succeeded' } }) }));

/** One task, then several in parallel, then one that waits for all of them. */
function wide(task: object, width: number): object[] {
  const middle = Array.from({ length: width }, (_, n) => `m${n}`);
  return [
    { label: 'first', ...task },
    ...middle.map((label) => ({ label, ...task, waitOn: { first: 'succeeded' } })),
    { label: 'last', ...task, waitOn: Object.fromEntries(middle.map((label) => [label, 'succeeded'])) },
  ];
}
