/** Rollouts, schedules and windows by options, as commands take them, and a rollout from its plan to the approval by a second person. */
import test, { type ExecutionContext } from 'ava';
import { Command } from 'commander';
import { Client } from '../../api/cli/client.ts';
import { describingRollout, type RolloutFlags, rolloutOf } from '../../api/cli/rollout-request.ts';
import { describingSchedule, type ScheduleFlags, scheduleOf } from '../../api/cli/schedule-request.ts';
import { spanOption } from '../../api/cli/span-option.ts';
import type { RolloutBody } from '../../engine/api-port/index.ts';
import type { NewSchedule } from '../../engine/api-port/schedules.ts';
import { cliDaemon } from '../support/console/cli-scene.ts';
import { commandLine, commandLineOf } from '../support/console/command-line.ts';
import { openEngine } from '../support/engine/engine.ts';
import { seen } from '../support/faults/workload.ts';
import { northbound, serve } from '../support/servers/api.ts';

const ROLLED_OUT = 'Graph.noop-example';

type BodyOf<Flags, Body> = (client: Client, graph: string, nodes: readonly string[], flags: Flags) => Promise<Body>;

/** The bodies of command lines, as `nw rollout plan` and `nw schedule add` send them. */
async function bodies(t: ExecutionContext) {
  const it = await openEngine();
  t.teardown(() => it.close());
  const { port, as } = await serve(t, northbound, it.engine);
  const client = new Client({ url: `http://127.0.0.1:${port}`, token: await as('Administrator'), ca: undefined });
  t.teardown(() => client.close());
  const reading =
    <Flags, Body>(describe: (command: Command) => Command, read: BodyOf<Flags, Body>) =>
    async (...args: string[]): Promise<Body> => {
      const command = describe(new Command().exitOverride().configureOutput({ writeErr: () => {} }));
      const body = new Promise<Body>((resolve, reject) => {
        command.action((graph: string, nodes: string[], flags: Flags) =>
          read(client, graph, nodes, flags).then(resolve, reject),
        );
      });
      await Promise.all([command.parseAsync(args, { from: 'user' }), body]);
      return body;
    };
  return {
    it,
    bodyOf: reading<RolloutFlags, RolloutBody>(describingRollout, rolloutOf),
    scheduleIn: reading<ScheduleFlags, NewSchedule>(describingSchedule, scheduleOf),
  };
}

test('options give each part of a rollout; SKUs, windows and nodes are given by their names', async (t) => {
  const { it, bodyOf } = await bodies(t);
  const sku = await it.engine.skus.create({ name: 'r640', rules: [{ path: 'dmi.model', equals: 'r640' }] });
  const window = await it.engine.windows.create({
    name: 'tonight',
    zone: 'UTC',
    spans: [{ days: ['fri'], from: '22:00', to: '06:00' }],
  });
  const limits = ['--running', '5', '--per', 'poweredBy=1', '--per', 'enclosedBy=2', '--max-failed', '2'];
  const phases = ['--phase', '1:manual', '--phase', '10%', '--phase', 'rest', '--order', 'enclosedBy'];
  const nodes = ['--sku', 'r640', '--tag', 'a', '--tag', 'b', '--filter', 'health=ok', '--sample', '12.5%'];
  const others = ['--window', 'tonight', '--seed', '0', '--set', 'update.file="f"'];
  t.deepEqual(await bodyOf(ROLLED_OUT, ...limits, ...phases, ...nodes, ...others), {
    graph: ROLLED_OUT,
    options: { update: { file: 'f' } },
    seed: 0,
    targets: { filter: { sku: sku.id, tags: 'a,b', health: 'ok' }, sample: { percent: 12.5 } },
    phases: [{ size: 1, advance: 'manual' }, { size: '10%' }, { size: 'rest' }],
    order: { by: 'enclosedBy' },
    limits: { running: 5, per: { poweredBy: 1, enclosedBy: 2 } },
    gates: [{ failures: 2 }],
    window: window.id,
  });
  const { id } = await it.engine.nodes.create({ name: 'web-1', type: 'compute' });
  t.deepEqual(await bodyOf(ROLLED_OUT, 'web-1', id, '--max-failed', '5%'), {
    graph: ROLLED_OUT,
    targets: { nodes: [id] },
    gates: [{ failurePercent: 5 }],
  });
});

test('beside JSON the options replace its parts, and a sample keeps its nodes', async (t) => {
  const { bodyOf } = await bodies(t);
  const given = {
    graph: ROLLED_OUT,
    targets: { filter: { type: 'compute' } },
    limits: { running: 9, per: { poweredBy: 1 } },
  };
  t.deepEqual(await bodyOf(JSON.stringify(given)), given as RolloutBody);
  t.deepEqual(await bodyOf(JSON.stringify(given), '--running', '2', '--sample', '50%'), {
    graph: ROLLED_OUT,
    targets: { filter: { type: 'compute' }, sample: { percent: 50 } },
    limits: { running: 2 },
  });
  t.deepEqual((await bodyOf(JSON.stringify(given), '--tag', 'x')).targets, { filter: { tags: 'x' } });
});

test('options that make no rollout are refused in words', async (t) => {
  const { bodyOf } = await bodies(t);
  for (const [args, message] of [
    [[], /found no nodes; expected nodes, --sku, --tag or --filter/],
    [['n', '--tag', 'x'], /found --sku, --tag or --filter beside nodes/],
    [['nowhere'], /found no node with the id, identifier or name nowhere/],
    [['--sku', 'none'], /no SKU is called none; nw skus lists them/],
    [['--tag', 'x', '--window', 'none'], /no window is called none; nw windows lists them/],
    [['--tag', 'x', '--ticket', 'none'], /no ticket has the id none; nw tickets lists them/],
    [['--tag', 'x', '--per', 'poweredBy'], /Expected a relation and a number, such as poweredBy=1/],
    [['--tag', 'x', '--sample', '20'], /Expected a percentage such as 20%/],
    [['--tag', 'x', '--max-failed', '0'], /Expected a whole number from 1/],
  ] as const)
    await t.throwsAsync(bodyOf(ROLLED_OUT, ...args), { message }, args.join(' '));
});

test('a schedule launches, or with an option of a rollout rolls out, at one kind of due times', async (t) => {
  const { scheduleIn } = await bodies(t);
  const nodes = ['--filter', 'type=compute'];
  t.deepEqual(await scheduleIn(ROLLED_OUT, ...nodes, '--cron', '30 2 * * sun', '--zone', 'UTC', '--missed', 'skip'), {
    name: ROLLED_OUT,
    when: { cron: '30 2 * * sun', zone: 'UTC' },
    launch: { name: ROLLED_OUT, filter: { type: 'compute' } },
    missed: 'skip',
  });
  t.deepEqual(await scheduleIn(ROLLED_OUT, ...nodes, '--every', '6h', '--name', 'power', '--running', '5'), {
    name: 'power',
    when: { everySec: 21_600 },
    rollout: { graph: ROLLED_OUT, targets: { filter: { type: 'compute' } }, limits: { running: 5 } },
  });
  const whole = { name: 'once', when: { at: '2026-12-01T22:00:00Z' }, launch: { name: ROLLED_OUT } };
  t.deepEqual(await scheduleIn(JSON.stringify(whole)), whole);
  for (const [times, message] of [
    [[], /found 0 of --cron, --every and --at; expected one of them/],
    [['--every', '1h', '--at', 'x'], /found 2 of --cron, --every and --at/],
    [['--cron', '* * * * *'], /found --cron without --zone/],
  ] as const)
    await t.throwsAsync(scheduleIn(ROLLED_OUT, ...nodes, ...times), { message });
});

test('the days and times of a window are read as written', (t) => {
  const of = (text: string) => spanOption(text).map(({ days, from, to }) => [days.join(), from, to].join(' '));
  t.deepEqual(of('mon-fri 22:00-05:00'), ['mon,tue,wed,thu,fri 22:00 05:00']);
  t.deepEqual(of('fri-mon,wed 08:00-24:00'), ['sun,mon,wed,fri,sat 08:00 24:00']);
  t.deepEqual(of('Sat 08:00-20:00'), ['sat 08:00 20:00']);
  t.is(spanOption('daily 01:00-04:00')[0]?.days.length, 7);
  t.is(spanOption('sun 01:00-04:00', spanOption('sat 01:00-04:00')).length, 2);
  for (const wrong of [
    '',
    'mon',
    '22:00-05:00',
    'monday 22:00-05:00',
    'mon 22-5',
    'mon-tue-wed 01:00-02:00',
    ', 01:00-02:00',
  ])
    t.throws(() => spanOption(wrong), { message: /Expected days and times such as/ }, wrong);
});

test('one command plans, one begins it with a ticket, and after the approval of another user it runs', async (t) => {
  const daemon = await cliDaemon(t, { approvals: [{ graphs: [ROLLED_OUT], roles: ['Operator'] }] });
  const nw = commandLine(t, daemon);
  for (const n of [1, 2, 3]) {
    const { id } = (await daemon.api('POST', '/nodes', { name: `web-${n}`, type: 'compute', tags: ['web'] })).body;
    if (n === 3) await daemon.api('POST', `/nodes/${id}/holds`, { kind: 'repair', reason: 'fan' });
  }
  t.regex(
    (await nw.run('window', 'add', 'always', '--span', 'daily 00:00-24:00')).stderr,
    /found --span without --zone/,
  );
  t.is((await nw.run('window', 'add', 'always', '--span', 'daily 00:00-24:00', '--zone', 'UTC')).status, 0);
  t.regex((await nw.run('window', 'show', 'always')).stdout, /always +UTC +open/, 'by its name');
  const rollout = [ROLLED_OUT, '--tag', 'web', '--running', '2', '--max-failed', '1', '--window', 'always'];
  const plan = await nw.run('rollout', 'plan', ...rollout);
  t.is(plan.status, 1);
  t.regex(plan.stdout, /^Graph\.noop-example on 3 nodes in 1 phases, seed \d+$/m);
  t.regex(plan.stderr, /^rejected on web-\d, web-\d, web-\d: .*\(TICKET_REQUIRED\)$/m);
  const created = await nw.run('rollout', 'create', ...rollout, '--request-ticket');
  t.is(created.status, 0, created.stderr);
  const [, ticket = ''] = /nw ticket approve (\S+)/.exec(created.stderr) ?? [];
  const id = created.stdout.trim();
  t.like((await daemon.api('GET', `/rollouts/${id}`)).body, { status: 'paused', reason: { kind: 'ticket' } });
  t.is((await nw.run('ticket', 'approve', ticket)).status, 1);
  const second = await commandLineOf(t, daemon, 'second', 'Operator');
  t.is((await second.run('ticket', 'approve', ticket)).status, 0);
  await seen(async () => (await daemon.api('GET', `/rollouts/${id}`)).body.finishedAt !== null);
  const { stdout } = await nw.run('rollout', 'targets', id);
  t.regex(stdout, /web-1 +succeeded/);
  t.regex(stdout, /web-3 +skipped \(held\)/);
  const asked = await nw.run('run', ROLLED_OUT, 'web-1', '--request-ticket');
  t.is(asked.status, 0, asked.stderr);
  const beginning = asked.stdout.slice(0, 8);
  t.is((await nw.run('run', ROLLED_OUT, 'web-1', '--ticket', beginning)).status, 1, 'not approved');
  t.is((await second.run('ticket', 'approve', beginning)).status, 0);
  const launched = await nw.run('run', ROLLED_OUT, 'web-1', '--ticket', beginning);
  t.is(launched.status, 0, launched.stderr);
  const scheduled = await nw.run('schedule', 'add', 'Graph.Cli.Wait', 'web-1', '--at', '2099-01-01T00:00:00Z');
  t.is(scheduled.status, 0, scheduled.stderr);
  t.regex((await nw.run('schedules')).stdout, /Graph\.Cli\.Wait +at 2099-01-01/);
});
