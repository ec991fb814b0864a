/** Plans name what they destroy, by the definitions of tasks and the catalogs of the node. */
import { readFileSync } from 'node:fs';
import anyTest, { type TestFn } from 'ava';
import { packagePath } from '../../../../engine/vocabulary/package-path.ts';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine; node: string }>;

test.before(async (t) => {
  const it = await openEngine();
  const { id: node } = await it.node();
  await it.engine.catalogs.add(
    node,
    'driveId',
    JSON.parse(readFileSync(packagePath('fixtures/drive-id.json'), 'utf8')),
  );
  const lsblk = [
    { name: 'sdb', wwn: '0x5000c5008f0641fb', model: 'ST4000NM0035', serial: 'ZC11A2B3', size: 4_000_787_030_016 },
  ];
  await it.engine.catalogs.add(node, 'lsblk', { blockdevices: lsblk });
  t.context = { it, node };
});
test.after.always((t) => t.context.it?.close());

const erase = { 'drive-secure-erase': { eraseSettings: [{ disks: [5] }] } };
const chosen = {
  name: 'sdb',
  wwid: '/dev/disk/by-id/scsi-35000c5008f0641fb',
  model: 'ST4000NM0035',
  serial: 'ZC11A2B3',
  sizeBytes: 4_000_787_030_016,
};

async function planned(it: TestEngine, name: string, options: Record<string, unknown>, nodeId: string | null) {
  const { tasks } = await it.engine.plans.plan({ name, options, nodeId });
  return (label: string) => tasks.find((task) => task.label === label);
}

test('an erase names the drive of a request with model, serial number and size, and the power that goes off and on', async (t) => {
  const { it, node } = t.context;
  const of = await planned(it, 'Graph.Drive.SecureErase', erase, node);
  t.deepEqual(of('drive-secure-erase')?.drives, [chosen]);
  t.like(of('reboot-start'), { power: 'cycle', drives: [], destructive: false });
  t.like(of('catalog-drive-id-before'), { power: null, drives: [], destructive: false });
});

test('an installation names the drive that it overwrites: the given one, or the one that it takes', async (t) => {
  const { it, node } = t.context;
  const of = async (options: object) =>
    (await planned(it, 'Graph.InstallCentOS', { defaults: { version: '9', ...options } }, node))('install-os')?.drives;
  t.deepEqual(await of({ installDisk: 5 }), [chosen]);
  t.is((await of({}))?.[0]?.name, 'sdg', 'the SATA DOM');
});

test('drives that no catalog knows are null: only the run can know them', async (t) => {
  const { it } = t.context;
  const { id } = await it.node();
  for (const nodeId of [id, null])
    t.like((await planned(it, 'Graph.Drive.SecureErase', erase, nodeId))('drive-secure-erase'), {
      destructive: true,
      drives: null,
    });
  t.is((await planned(it, 'Graph.InstallCentOS', {}, id))('install-os')?.drives, null);
});

test('a task that runs a graph destroys what that graph destroys', async (t) => {
  const { it, node } = t.context;
  await it.engine.library.putGraph({
    friendlyName: 'Parent',
    injectableName: 'Graph.Test.EraseBelow',
    tasks: [
      {
        label: 'run',
        taskName: 'Task.Graph.Run',
        optionOverrides: { graphName: 'Graph.Drive.SecureErase', graphOptions: erase },
      },
    ],
  });
  const of = await planned(it, 'Graph.Test.EraseBelow', {}, node);
  t.like(of('run'), { destructive: true, drives: [chosen], power: 'cycle' });
});

test('a task of JSON says of its commands that they destroy; it cannot deny it of its code task', async (t) => {
  const { it, node } = t.context;
  const task = { friendlyName: 'x', options: { commands: ['storcli64 /c0/vall delete'] } };
  await it.engine.library.putTask({
    ...task,
    injectableName: 'Task.Test.DeleteVolumes',
    implementsTask: 'Task.Base.Linux.Commands',
    destructive: true,
    power: 'cycle',
  });
  const graph = { friendlyName: 'x', injectableName: 'Graph.Test.Volumes' };
  await it.engine.library.putGraph({ ...graph, tasks: [{ label: 'raid', taskName: 'Task.Test.DeleteVolumes' }] });
  const of = await planned(it, 'Graph.Test.Volumes', {}, node);
  t.like(of('raid'), { destructive: true, drives: null, power: 'cycle' });
  await t.throwsAsync(
    it.engine.library.putTask({
      ...task,
      injectableName: 'Task.Test.Harmless',
      implementsTask: 'Task.Base.SecureErase',
      options: {},
      destructive: false as never,
    }),
    { message: /destructive/ },
  );
});

test('a plan for a busy node names the workflow that holds it', async (t) => {
  const { it } = t.context;
  const { id: nodeId } = await it.node();
  const plan = () => it.engine.plans.plan({ name: 'Graph.noop-example', options: {}, nodeId });
  t.is((await plan()).holder, null);
  const { id: workflow } = await it.launch('Graph.Demo.InstallOs', {}, nodeId);
  t.like(await plan(), {
    holder: { workflow, graphName: 'Graph.Demo.InstallOs' },
    rejections: [{ code: 'NODE_BUSY' }],
  });
});
