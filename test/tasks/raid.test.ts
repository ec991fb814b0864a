/** RAID volumes on the BMC of a twin's machine, of each model that has a RAID controller; and with deaths at each call. */
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { Redfish } from '../../engine/define/obm.ts';
import { type ActivityScope, activityFunction } from '../../engine/define/operation.ts';
import type { WorkflowRow } from '../../engine/durable/step/row.ts';
import { RedfishSessions } from '../../engine/hardware/obm/bmc-sessions.ts';
import { CircuitBreakers } from '../../engine/hardware/obm/circuit-breakers.ts';
import { redfishOf } from '../../engine/hardware/obm/obm-settings.ts';
import { RedfishAt } from '../../engine/hardware/obm/redfish-at.ts';
import {
  followChange,
  type LayoutOptions,
  type SentChange,
  sendChange,
} from '../../engine/hardware/redfish/raid-activities.ts';
import { shippedModels } from '../../engine/hardware/twin/read-model.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { type ServedTwin, startTwinBmc } from '../support/bmcs/twin-bmc.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { Death, mortalCalls } from '../support/faults/mortal-calls.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
type T = ExecutionContext<{ it: TestEngine }>;

const often = { lookEveryMs: 20 };
/** They have two drives of one size on one controller. */
const models = [...shippedModels().values()].filter(
  ({ tree, drives: [one, two] }) => tree.volumes && one?.bytes === two?.bytes,
);

test.before(async (t) => {
  t.context.it = await openEngine({ obm: { timeoutMs: 20_000 } });
});
test.after.always((t) => t.context.it?.close());

async function scene(t: T, model: string) {
  const { it } = t.context;
  const twin = await startTwinBmc(t, { model });
  const { id: node } = await it.node();
  await it.engine.obms.put(node, { service: 'redfish-obm-service', config: twin.config });
  const run = async (graph: string, options: object = {}) =>
    it.finished((await it.launch(graph, options as Record<string, unknown>, node)).id);
  const serials = twin.state.drives.slice(0, 2).map(({ serial }) => serial);
  return { ...twin, node, run, serials };
}

const outputOf = ({ tasks }: WorkflowRow, label: string) => tasks.find((task) => task.label === label)?.output;
const volumesOf = ({ state }: Pick<ServedTwin, 'state'>) =>
  (state.bmc.volumes ?? []).map(({ name, raid, drives }) => [name, raid, ...drives]);
const ofVolumes = (ledger: readonly string[]) => ledger.filter((line) => line.startsWith('volume'));

test('models change volumes in each of the three ways', (t) => {
  t.deepEqual([...new Set(models.map(({ tree }) => tree.volumes))].sort(), ['immediate', 'reset', 'task']);
});

for (const { name: model } of models) {
  test(`${model}: a layout is planned, made once, kept, replaced and cleared`, async (t) => {
    const at = await scene(t, model);
    const { run, serials, ledger } = at;
    const wanted = [{ name: 'system', raid: 'RAID1', drives: { count: 2 } }];
    const restart = { restart: { timeoutMs: 30_000 }, verify: often };

    const planned = await run('Graph.Raid.Plan', { plan: { volumes: wanted } });
    const create = { change: 'create', name: 'system', serials };
    t.deepEqual(outputOf(planned, 'plan'), { changes: [create], kept: [] }, JSON.stringify(planned.error));
    t.deepEqual(ofVolumes(ledger), []);

    const made = await run('Graph.Raid.Configure', { configure: { ...often, volumes: wanted }, ...restart });
    t.is(made.status, 'succeeded', JSON.stringify(made.error));
    t.deepEqual(made.output, { changes: [create] });
    t.deepEqual(volumesOf(at), [['system', 'RAID1', ...serials]]);
    const after = [...ledger];
    t.is(ofVolumes(after).length, 1);

    const again = await run('Graph.Raid.Configure', { configure: { ...often, volumes: wanted }, ...restart });
    t.deepEqual(outputOf(again, 'configure'), { changes: [], restart: false });
    t.deepEqual(ledger, after, 'a layout that is there changes nothing, and restarts nothing');

    const other = [{ name: 'scratch', raid: 'RAID0', serials }];
    const rejected = await run('Graph.Raid.Configure', { configure: { ...often, volumes: other }, ...restart });
    t.is(rejected.error?.code, 'RAID_REJECTED');
    t.regex(rejected.error?.message ?? '', /is in the volume system; deleteOthers deletes/);
    t.deepEqual(ledger, after);

    const replaced = await run('Graph.Raid.Configure', {
      configure: { ...often, volumes: other, deleteOthers: true },
      ...restart,
    });
    t.is(replaced.status, 'succeeded', JSON.stringify(replaced.error));
    t.deepEqual(volumesOf(at), [['scratch', 'RAID0', ...serials]]);

    const cleared = await run('Graph.Raid.Clear', { clear: often, ...restart });
    t.is(cleared.status, 'succeeded', JSON.stringify(cleared.error));
    t.deepEqual(volumesOf(at), []);
    t.deepEqual(
      ofVolumes(ledger).map((line) => line.split(':')[0]?.split(' ').slice(1, 3).join(' ')),
      ['create system', 'delete system', 'create scratch', 'delete scratch'],
    );
  });
}

test('a plan of a launch names the drives that its layout names; others only its run can know', async (t) => {
  const { node, serials } = await scene(t, 'hpe-dl360-gen11');
  const plan = async (configure: object) => {
    const { tasks } = await t.context.it.engine.plans.plan({
      name: 'Graph.Raid.Configure',
      nodeId: node,
      options: { configure },
    });
    return tasks.find(({ label }) => label === 'configure');
  };
  const named = await plan({ volumes: [{ name: 'system', raid: 'RAID1', serials }] });
  t.true(named?.destructive);
  t.deepEqual(
    named?.drives?.map(({ serial }) => serial),
    serials,
  );
  t.is((await plan({ volumes: [], deleteOthers: true }))?.drives, null);
});

/** A process can die at many points; each n-th is tried, with an n that is prime to the number of calls of a turn. */
const EVERY = 7;

/** The process dies before or after its n-th call to the BMC; the marks of its commands are saved. */
function mortalRun(twin: ServedTwin, input: LayoutOptions, sent: ActivityScope<unknown>['sent'][number][]) {
  const { target, path } = redfishOf(twin.config);
  const limits = {
    breakers: new CircuitBreakers({ concurrency: 2, failures: 3, backoffMs: 60_000, timeoutMs: 20_000 }, Date.now),
    sessions: new RedfishSessions(20_000, () => {}),
    note: () => {},
    timeoutMs: 20_000,
  };
  const driver = new RedfishAt(target, path, limits as never);
  const signal = AbortSignal.timeout(WAIT_MS);
  return async (deadline: number): Promise<number> => {
    const calls = mortalCalls(deadline);
    const { live } = calls;
    const redfish = {
      origin: driver.origin,
      system: driver.system,
      ask: (request) => live(() => driver.ask(request, signal)),
      progress: (monitor) => live(() => driver.progress(monitor, signal)),
      command: async (command, request) => {
        sent.push({ command, node: 'n', agoMs: 0, done: false });
        return live(() => driver.command(request, signal, () => Promise.resolve()));
      },
    } as Partial<Redfish> as Redfish;
    const scope = (more: object) =>
      ({
        input: { ...input, ...more },
        nodeId: 'n',
        sent,
        signal,
        services: { redfish: async () => redfish },
      }) as unknown as ActivityScope<unknown>;
    for (;;) {
      const { next, change, monitor } = (await activityFunction(sendChange)(scope({}))) as SentChange;
      if (next === 'end') return calls.count;
      const from = { since: null as number | null };
      for (let again = true; again; ) {
        const look = (await activityFunction(followChange)(scope({ ...from, change, monitor }))) as {
          again: boolean;
          since: number;
        };
        again = look.again;
        from.since = look.since;
      }
    }
  };
}

test('a process that dies before or after any call leaves what the next one ends, and no command is sent twice', async (t) => {
  const points = new Set<number>();
  for (let deadline = 1, calls = 0; deadline <= calls || calls === 0; deadline += EVERY) {
    const twin = await startTwinBmc(t, { model: 'dell-r650', speed: 20_000 });
    const { drives } = twin.state;
    const [one = '', two = ''] = drives.map(({ serial }) => serial);
    twin.state.bmc.volumes = [{ id: 'Volume.0', storage: 'SAS', name: 'old', raid: 'RAID0', drives: [one], bytes: 1 }];
    const input: LayoutOptions = {
      volumes: [{ name: 'system', raid: 'RAID1', serials: [one, two] }],
      deleteOthers: true,
      waitMs: 300,
    };
    const sent: ActivityScope<unknown>['sent'][number][] = [];
    const died = await mortalRun(
      twin,
      input,
      sent,
    )(deadline).then(
      (count) => {
        calls = count;
        return false;
      },
      (error) => error instanceof Death || Promise.reject(error),
    );
    if (!died) break;
    points.add(deadline);
    calls = Math.max(calls, deadline + EVERY);
    // The same task run continues. A mark without its command: it waits in vain, and a new launch sends the command.
    await mortalRun(twin, input, sent)(0).catch((error) => t.is(error.code, 'RAID_UNCHANGED'));
    await mortalRun(twin, input, [])(0);
    t.deepEqual(volumesOf(twin), [['system', 'RAID1', one, two]], `died at ${deadline}`);
    const lines = ofVolumes(twin.ledger);
    t.is(lines.length, 2, `died at ${deadline}: ${lines.join(' | ')}`);
  }
  t.log(`${points.size} points`);
  t.true(points.size > 10);
});
