/** A rehearsal and the real rollout after it, on the same rack of twins: it takes as long, and the same gate stops it in the same phase. */
import test, { type ExecutionContext } from 'ava';
import type { RolloutRecord } from '../../../../engine/api-port/index.ts';
import { rehearse } from '../../../../engine/workflows/rehearsal/rehearse.ts';
import { onVirtualRack, type VirtualRack } from '../../../support/twin/virtual-rack.ts';

/** An erase takes hours, and a minute of this machine: it was compared by hand. */
const REBOOT_GRAPH = 'Graph.Reboot.Node';
const MACHINES = 12;
/** Share of the real duration. */
const TOLERANCE = 0.2;

const page = { skip: 0, limit: 1_000 };

/** Every node runs the graph once: these are the earlier runs of the site. */
async function earlierRuns({ engine, nodes, ask, until }: VirtualRack) {
  const ids: string[] = [];
  for (const nodeId of nodes.values())
    ids.push((await ask(() => engine.launches.launch({ name: REBOOT_GRAPH, options: {}, nodeId }))).id);
  const filter = { id: { $in: ids }, status: { $in: ['succeeded', 'failed'] } };
  const ended = async () => (await engine.workflows.list({ ...page, filter })).items;
  await until(async () => (await ended()).length === MACHINES);
  return (await ask(ended)).map(({ startedAt, finishedAt, error }) => ({
    durationMs: Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? ''),
    error: error && { code: error.code, message: error.message },
  }));
}

async function both(t: ExecutionContext, rack: VirtualRack, rules: Pick<RolloutRecord, 'gates' | 'limits'>) {
  const { engine, nodes, ask, until } = rack;
  const samples = await earlierRuns(rack);
  const request = {
    graph: REBOOT_GRAPH,
    nodes: [...nodes.values()],
    seed: 7,
    phases: [{ size: 4 }, { size: 'rest' as const }],
  };
  const plan = await ask(() => engine.rollouts.plan({ ...request, ...rules }));
  t.deepEqual(plan.rejections, []);
  const targets = plan.targets.map((target) => ({ ...target, parents: {} }));
  const report = await rehearse({ plan, targets, rejections: [], samples, basis: 'measured', begin: Date.now() });
  const { id } = await ask(() => engine.rollouts.create({ ...request, ...rules }));
  const record = async () => (await engine.rollouts.get(id)) as RolloutRecord;
  await until(async () => (await record()).status !== 'running');
  return { report, real: await ask(record) };
}

test.serial('the real rollout takes as long as the rehearsal said', (t) =>
  onVirtualRack({ nodes: MACHINES, graph: REBOOT_GRAPH }, async (rack) => {
    const { report, real } = await both(t, rack, { limits: { running: 3 }, gates: [] });
    t.like(real, { status: 'succeeded', counts: { succeeded: MACHINES } });
    t.deepEqual(report.failures, []);
    const realMs = Date.parse(real.finishedAt ?? '') - Date.parse(real.createdAt);
    t.true(Math.abs(report.durationMs.p50 - realMs) <= TOLERANCE * realMs, `${report.durationMs.p50} and ${realMs} ms`);
    t.log(`rehearsed ${report.durationMs.p50} ms, real ${realMs} ms`);
  }),
);

test.serial('a gate stops the real rollout in the phase in which the rehearsal stopped', (t) =>
  onVirtualRack({ nodes: MACHINES, graph: REBOOT_GRAPH }, async (rack) => {
    // All of them: which ones come first is not the same in each run.
    for (const name of rack.nodes.keys()) rack.deaf.add(name);
    const { report, real } = await both(t, rack, { limits: { running: 2 }, gates: [{ failures: 9 }, { failures: 5 }] });
    const { gate } = real.reason ?? {};
    t.is(gate?.index, 1);
    const [trip] = report.gates;
    t.deepEqual([trip?.index, trip?.at.phase], [1, real.phase]);
    const gateMs = Date.parse(real.reason?.since ?? '') - Date.parse(real.createdAt);
    t.log(`rehearsed ${trip?.at.ms} ms, real ${gateMs} ms`);
  }),
);
