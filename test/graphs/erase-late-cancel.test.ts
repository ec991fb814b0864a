/** Cancels of an erase that come while no watch looks for them, or too late for one. The test is the agent: it decides when. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentTask } from '../../engine/api-port/index.ts';
import { needing } from '../support/ava/needs.ts';
import { onPath } from '../support/ava/on-path.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import type { BayDrive } from '../support/bmcs/bay.ts';
import { type Erasing, eraseOpener } from '../support/bmcs/erasing.ts';
import { withFirmware } from '../support/bmcs/firmware.ts';

const openErasing = eraseOpener();

const missing = ['setsid', 'scrub'].filter((name) => onPath(name) === undefined);
const real = needing(missing.length === 0 ? undefined : `${missing.join(', ')} not installed`);

const drives: BayDrive[] = [
  { name: 'sda', wwn: '5000c500000000aa' },
  { name: 'sdb', wwn: '5000c500000000bb' },
];

/** An agent that runs a command when the test says so. */
function agentOf({ it, bay, node }: Erasing) {
  const cancelled = join(bay.home, 'cancelled');
  return {
    async next(): Promise<AgentTask> {
      const task = await it.engine.agents.next(node, {
        agent: 'a',
        waitMs: WAIT_MS,
        signal: new AbortController().signal,
      });
      if (task === undefined) throw new Error('no command');
      return task;
    },
    run({ id, cmd, cancelled: isCancelled }: AgentTask) {
      if (isCancelled) writeFileSync(cancelled, '');
      const env = { ...bay.env, NODEWRIGHT_CANCELLED: cancelled };
      const { status, stdout, stderr } = spawnSync('sh', ['-c', cmd], { env, encoding: 'utf8' });
      return { id, exitCode: status ?? -1, stdout, stderr };
    },
    report: (...reports: Parameters<typeof it.engine.agents.report>[1]) => it.engine.agents.report(node, reports),
  };
}

/** Why the node's power is denied. */
async function powerOf({ it, node }: Erasing): Promise<string | undefined> {
  return (await it.finished((await it.launch('Graph.Reset.Node', {}, node)).id)).error?.code;
}

/** An erase of sda by scrub and of sdb by its firmware, whose first watch is over while both run. */
async function erasing(opened: Erasing) {
  const { it, bay, node } = opened;
  withFirmware(bay);
  bay.counted('scrub');
  bay.hold();
  await it.engine.library.putGraph({
    friendlyName: 'Erase only',
    injectableName: 'Graph.Test.EraseOnly',
    tasks: [{ label: 'erase', taskName: 'Task.Drive.SecureErase' }],
  });
  const eraseSettings = [{ disks: ['sda'] }, { disks: ['sdb'], tool: 'hdparm' }];
  const { id } = await it.launch('Graph.Test.EraseOnly', { erase: { eraseSettings } }, node);
  const agent = agentOf(opened);
  await agent.report(agent.run(await agent.next()));
  const begin = await agent.next();
  const watched = agent.run({ ...begin, cmd: begin.cmd.replace('limit=600', 'limit=0') });
  assertRunning(watched.stdout);
  await it.until(() => bay.lines().length === 2);
  return { id, agent, watched };
}

const assertRunning = (stdout: string): void => {
  if (!/0\.state running[\s\S]*1\.state running/.test(stdout)) throw new Error(`not running: ${stdout}`);
};

real.serial(
  'a cancel after the last look of a watch is delivered: scrub stops, and the firmware stays interlocked',
  async (t) => {
    const opened = await openErasing(t, drives);
    const { it, bay } = opened;
    const { id, agent, watched } = await erasing(opened);
    await it.engine.control.cancel(id);
    t.deepEqual(await agent.report(watched), [true]);
    t.is((await it.get(id)).status, 'running');
    const again = await agent.next();
    t.like(again, { id: watched.id, cancelled: true });
    const stopped = agent.run(again);
    t.is(stopped.exitCode, 4);
    await agent.report(stopped);
    const row = await it.finished(id);
    t.is(row.status, 'cancelled');
    const said = row.tasks[0]?.error?.message ?? '';
    t.regex(said, /sda: scrub was stopped; a part of the drive is overwritten/);
    t.regex(said, /sdb: hdparm continues in the firmware of the drive/);
    t.is(bay.running.length, 1);
    t.is(await powerOf(opened), 'NODE_INTERLOCKED');
  },
);

real.serial('without a cancel the next watch follows, and the erase succeeds', async (t) => {
  const opened = await openErasing(t, drives);
  const { it, bay } = opened;
  const { id, agent, watched } = await erasing(opened);
  await agent.report(watched);
  bay.go();
  const again = await agent.next();
  t.not(again.id, watched.id);
  await agent.report(agent.run(again));
  t.is((await it.finished(id)).status, 'succeeded');
  t.is(await powerOf(opened), undefined);
});

real.serial('a cancelled watch that fails says that its work may go on, and the interlock stays', async (t) => {
  const opened = await openErasing(t, drives);
  const { it } = opened;
  const { id, agent, watched } = await erasing(opened);
  await it.engine.control.cancel(id);
  await agent.report({ id: watched.id, exitCode: 124, stdout: '', stderr: '' });
  const row = await it.finished(id);
  t.regex(row.tasks[0]?.error?.message ?? '', /its command ended with 124; whether its work has stopped is unknown/);
  t.is(await powerOf(opened), 'NODE_INTERLOCKED');
});

type TestAgent = ReturnType<typeof agentOf>;

async function failNextWatch(agent: TestAgent, watched: ReturnType<TestAgent['run']>): Promise<void> {
  await agent.report(watched);
  const { id } = await agent.next();
  await agent.report({ id, exitCode: 124, stdout: '', stderr: '' });
}

real.serial('a cancel in the pause after a watch that failed is delivered immediately: scrub stops', async (t) => {
  const opened = await openErasing(t, drives);
  const { it, bay, node } = opened;
  const { id, agent, watched } = await erasing(opened);
  await failNextWatch(agent, watched);
  const asking = { agent: 'a', waitMs: 1, signal: new AbortController().signal };
  t.is(await it.engine.agents.next(node, asking), undefined, 'a pause comes before the next watch');
  await it.engine.control.cancel(id);
  const again = await agent.next();
  t.true(again.cancelled);
  await agent.report(agent.run(again));
  const row = await it.finished(id);
  t.is(row.status, 'cancelled');
  t.regex(row.tasks[0]?.error?.message ?? '', /sda: scrub was stopped/);
  t.is(bay.running.length, 1);
  t.is(await powerOf(opened), 'NODE_INTERLOCKED');
});

real.serial('the pause after a watch that failed ends by itself, while the agent waits', async (t) => {
  const opened = await openErasing(t, drives);
  const { it, bay } = opened;
  const { id, agent, watched } = await erasing(opened);
  await failNextWatch(agent, watched);
  bay.go();
  const again = await agent.next();
  t.false(again.cancelled);
  await agent.report(agent.run(again));
  t.is((await it.finished(id)).status, 'succeeded');
});

for (const isCancelled of [true, false]) {
  const when = isCancelled ? 'cancelled' : 'ended';
  real.serial(`an erase in firmware that is ${when} after a reboot of its node leaves the interlock`, async (t) => {
    const opened = await openErasing(t, drives);
    const { it, bay } = opened;
    const { id, agent, watched } = await erasing(opened);
    await agent.report(watched);
    bay.power();
    if (isCancelled) await it.engine.control.cancel(id);
    const again = await agent.next();
    t.is(again.cancelled, isCancelled);
    await agent.report(agent.run(again));
    const row = await it.finished(id);
    if (isCancelled) t.regex(row.tasks[0]?.error?.message ?? '', /sdb: hdparm may still be running in the firmware/);
    else t.is(row.error?.code, 'DRIVE_STATE_UNKNOWN');
    t.is(await powerOf(opened), 'NODE_INTERLOCKED');
    bay.go();
  });
}
