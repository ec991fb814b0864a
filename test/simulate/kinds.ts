/** The kinds of workflow of a simulation, with their allowed ends under faults. */

export interface Kind {
  graph: string;
  weight: number;
  onNode: boolean;
  /** Number of notifications that it waits for. */
  signals: number;
  /** It waits until it is cancelled. */
  isCancelled: boolean;
  ends: readonly string[];
  /** Ends of one that is not cancelled, because its client was not answered. */
  endsAlone: readonly string[];
}

const kind = (graph: string, weight: number, given: Partial<Kind> = {}): Kind => ({
  graph,
  weight,
  onNode: true,
  signals: 0,
  isCancelled: false,
  ends: ['succeeded'],
  endsAlone: [],
  ...given,
});

/** Launched by the clients of the fleet only. */
export const fleetGraphs = {
  short: 'Graph.Simulated.Short',
  risky: 'Graph.Simulated.Risky',
  approved: 'Graph.Simulated.Approved',
  scheduled: 'Graph.Simulated.Scheduled',
} as const;

export const kinds: readonly Kind[] = [
  kind('Graph.Simulated.Again', 3),
  // The activity of a process that dies is interrupted, and never begun again: its workflow may fail.
  kind('Graph.Simulated.Once', 4, { ends: ['succeeded', 'failed'] }),
  kind('Graph.Simulated.Probed', 3),
  kind('Graph.Simulated.Wide', 2, { onNode: false }),
  kind('Graph.Simulated.Timer', 3),
  kind('Graph.Simulated.Child', 2),
  kind('Graph.Simulated.Wait', 3, { signals: 2 }),
  kind('Graph.Simulated.Long', 2, { isCancelled: true, ends: ['cancelled'], endsAlone: ['succeeded'] }),
  kind(fleetGraphs.short, 0),
  kind(fleetGraphs.risky, 0, { ends: ['succeeded', 'failed'] }),
  kind(fleetGraphs.approved, 0),
  kind(fleetGraphs.scheduled, 0),
];

const line = '{{ task.instanceId }}';
const act = (taskName: string, ms: number) => ({
  taskName: `Task.Simulated.${taskName}`,
  optionOverrides: { what: line, ms },
});
const again = act('Again', 400);
const once = act('Once', 800);
const probed = act('Probed', 600);
const risky = act('Risky', 1_000);
const sleep = (duration: number) => ({ taskName: 'Task.Sleep', optionOverrides: { duration } });
const wait = { taskName: 'Task.Wait.Notification' };
const child = { taskName: 'Task.Graph.Run', optionOverrides: { graphName: 'Graph.Simulated.Again' } };

/** The graphs, as lists of tasks. */
export const graphs: readonly object[] = [
  list('Again', chain(again, again, again)),
  list('Once', chain(once, again, once)),
  list('Probed', chain(probed, probed, again)),
  list('Wide', [
    { label: 'first', ...again },
    ...[0, 1, 2, 3].map((n) => ({ label: `m${n}`, ...(n % 2 ? probed : again), waitOn: { first: 'succeeded' } })),
    { label: 'last', ...again, waitOn: { m0: 'succeeded', m1: 'succeeded', m2: 'succeeded', m3: 'succeeded' } },
  ]),
  list('Timer', chain(sleep(30_000), again, sleep(2_000))),
  list('Child', chain(child)),
  list('Wait', chain(again, wait, probed, wait)),
  list('Long', chain(again, sleep(3_600_000))),
  list('Short', chain(again)),
  list('Risky', chain(risky)),
  list('Approved', chain(again)),
  list('Scheduled', chain(again, sleep(9_000))),
];

function list(name: string, tasks: object[]): object {
  return { friendlyName: name, injectableName: `Graph.Simulated.${name}`, tasks };
}

function chain(...tasks: object[]): object[] {
  return tasks.map((task, n) => ({
    label: `t${n}`,
    ...task,
    ...(n > 0 && { waitOn: { [`t${n - 1}`]: 'succeeded' } }),
  }));
}
