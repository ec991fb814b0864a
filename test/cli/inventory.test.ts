/** The commands for nodes, SKUs, graphs, users, tokens and the state of a daemon, against a real one. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { folder } from '../support/ava/folder.ts';
import { addNode, sharedCliDaemon } from '../support/console/cli-scene.ts';
import { commandLine } from '../support/console/command-line.ts';
import { seen } from '../support/faults/workload.ts';

const daemonOf = sharedCliDaemon();

test.serial('nodes are listed by tag, shown by name or MAC, tagged and removed', async (t) => {
  const nw = commandLine(t, await daemonOf());
  const { stdout: id } = await nw.run('node', 'add', 'inv-1', '--mac', '02:00:00:00:00:11', '--tag', 'gpu');
  t.is((await nw.run('node', 'tag', 'inv-1', 'rack-7')).stdout, 'gpu rack-7\n');
  t.is((await nw.run('node', 'untag', 'inv-1', 'gpu')).status, 0);
  // A URL without the last part of its path is that of the node.
  const beyond = await nw.run('node', 'untag', 'inv-1', '..');
  t.is(beyond.status, 1);
  t.regex(beyond.stderr, /found "\.\." as tag, expected a name or an id/);
  const listed = await nw.run('nodes', '-l', 'rack-7', '-o', 'jsonl');
  t.is(JSON.parse(listed.stdout).id, id.trim());
  t.is((await nw.run('nodes', '-l', 'gpu')).stderr, 'none\n');
  t.is(JSON.parse((await nw.run('node', 'show', '02:00:00:00:00:11', '-o', 'json')).stdout).name, 'inv-1');
  const table = (await nw.run('nodes', '-l', 'rack-7')).stdout.split('\n');
  t.regex(table[0] ?? '', /^ID +NAME +TYPE +SKU +HEALTH +WORKFLOW +LABEL +SINCE +TAGS$/);
  t.regex(table[1] ?? '', /^\S+ +inv-1 +compute +- +unknown +- +- +- +rack-7$/);
  t.is((await nw.run('node', 'report', 'inv-1', 'dcim', 'warning', '--message', 'warm')).stderr, 'inv-1 is warning\n');
  t.regex((await nw.run('nodes', '--health', 'warning')).stdout, /inv-1 +compute +- +warning/);
  t.regex((await nw.run('node', 'health', 'inv-1')).stdout, /dcim +warning +\S+ +- +warm/);
  const shown = JSON.parse((await nw.run('node', 'health', 'inv-1', '-o', 'json')).stdout);
  t.like(shown, { state: 'warning', reports: [{ source: 'dcim', message: 'warm' }] });
  t.is((await nw.run('nodes', '-l', 'rack-7', '--held', 'true')).stderr, 'none\n');
  t.is((await nw.run('hold', 'add', 'inv-1', '--kind', 'repair', '--reason', 'fan')).status, 0);
  for (const held of ['true', 'repair']) t.regex((await nw.run('nodes', '--held', held)).stdout, /inv-1 +compute/);
  t.notRegex((await nw.run('nodes', '--held', 'false')).stdout, /inv-1/);
  t.is((await nw.run('nodes', '--held', 'legal')).stderr, 'none\n');
  t.is((await nw.run('nodes', '--held', 'yes')).status, 2);
  t.regex((await nw.run('nodes', '-l', 'rack-7', '-o', 'wide')).stdout, /HELD[\s\S]* repair /);
  t.regex((await nw.run('node', 'show', 'inv-1')).stdout, /^held +repair$/m);
  t.is((await nw.run('node', 'remove', 'inv-1', '--yes')).status, 0);
  const gone = await nw.run('node', 'show', 'inv-1');
  t.is(gone.status, 1);
  t.is(gone.stderr, 'nw: found no node with the id, identifier or name inv-1; nw nodes lists them\n');
});

test.serial('nodes of a file are created together, or none of them', async (t) => {
  const nw = commandLine(t, await daemonOf());
  const file = join(folder(t), 'nodes.json');
  const nodes = ['a', 'b'].map((name) => ({ type: 'compute', name: `imported-${name}`, tags: ['imported'] }));
  writeFileSync(file, JSON.stringify([...nodes, { type: 'compute' }]));
  const wrong = await nw.run('node', 'import', file);
  t.is(wrong.status, 1);
  t.regex(wrong.stderr, /\[2\]\.name/);
  t.is((await nw.run('nodes', '-l', 'imported')).stderr, 'none\n');
  writeFileSync(file, JSON.stringify(nodes));
  t.regex((await nw.run('node', 'import', file)).stdout, /imported-a[\s\S]*imported-b/);
  t.is((await nw.run('nodes', '-l', 'imported', '-o', 'jsonl')).stdout.trim().split('\n').length, 2);
});

test.serial('nodes are listed by the name of their SKU, and an unknown one is an error', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const rules = [{ path: 'dmi.model', equals: 'zq-r640' }];
  const { body: sku } = await daemon.api('POST', '/skus', { name: 'dell-r640', rules });
  const node = await addNode(daemon, 'by-sku');
  await daemon.api('POST', `/nodes/${node}/catalogs`, { source: 'dmi', data: { model: 'zq-r640' } });
  await seen(async () => (await daemon.api('GET', `/nodes/${node}`)).body.sku === sku.id);
  for (const given of ['dell-r640', sku.id]) {
    const { stdout, stderr } = await nw.run('nodes', '--sku', given);
    t.regex(stdout, /by-sku +compute +dell-r640/, stderr);
  }
  t.regex((await nw.run('node', 'show', 'by-sku')).stdout, new RegExp(`^sku +dell-r640 \\(${sku.id}\\)$`, 'm'));
  const unknown = await nw.run('nodes', '--sku', 'dell-r650');
  t.deepEqual([unknown.status, unknown.stdout], [1, '']);
  t.regex(unknown.stderr, /no SKU is called dell-r650; nw skus lists them/);
  t.is((await daemon.api('DELETE', `/skus/${sku.id}`)).status, 204);
});

test.serial('a token alone is enough for the tokens of its user', async (t) => {
  const nw = commandLine(t, await daemonOf());
  const made = await nw.run('token', 'create', '--note', 'alone', '-o', 'json');
  t.is(made.status, 0, made.stderr);
  t.regex((await nw.run('token', 'list')).stdout, /alone/);
  t.is((await nw.run('token', 'revoke', JSON.parse(made.stdout).id)).status, 0);
});

test.serial('a name that several nodes have is rejected with their ids', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const ids = [await addNode(daemon, 'twin'), await addNode(daemon, 'twin')];
  const { status, stderr } = await nw.run('node', 'show', 'twin');
  t.is(status, 1);
  for (const id of ids) t.true(stderr.includes(id), stderr);
});

test.serial('a change that cannot be undone needs --yes without a terminal, and changes nothing before', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const id = await addNode(daemon, 'inv-2');
  t.is((await nw.run('node', 'obm', 'set', 'inv-2', '--service', 'noop-obm-service')).status, 0);
  t.regex((await nw.run('node', 'obm', 'list', 'inv-2')).stdout, /noop-obm-service/);
  const file = join(folder(t), 'agent.json');
  writeFileSync(file, JSON.stringify({ host: '127.0.0.1', community: 'lab-secret' }));
  const { status: set, stderr: why } = await nw.run('node', 'ibm', 'set', 'inv-2', '--config', file);
  t.is(set, 0, why);
  const ibms = (await nw.run('node', 'ibm', 'list', 'inv-2')).stdout;
  t.regex(ibms, /snmp-ibm-service +127\.0\.0\.1/);
  t.false(ibms.includes('lab-secret'));
  await daemon.api('POST', `/nodes/${id}/catalogs`, { source: 'notes', data: { shelf: '\u001b[31m7' } });
  t.regex((await nw.run('node', 'catalogs', 'inv-2')).stdout, /notes/);
  t.deepEqual(JSON.parse((await nw.run('node', 'catalogs', 'inv-2', 'notes')).stdout), { shelf: '\u001b[31m7' });
  t.is((await nw.run('node', 'catalogs', 'inv-2', 'none')).status, 1);
  t.regex(
    (await nw.run('node', 'burn-in', 'inv-2')).stderr,
    /no burn-in of inv-2 has ended; nw run Graph\.BurnIn inv-2/,
  );
  const time = '2026-11-27T13:33:06.000Z';
  const burnIn = { run: 'w-1', verdict: 'failed', startedAt: time, endedAt: time, problems: ['disk: \u001b[31mslow'] };
  await daemon.api('POST', `/nodes/${id}/catalogs`, { source: 'burn-in', data: burnIn });
  const { stdout: results, stderr: summary } = await nw.run('node', 'burn-in', 'inv-2');
  t.regex(results, /^TEST +TARGET +MEASURED +LIMIT +RESULT +TOOK\n(?:.*\n)*new errors +memory +not counted /);
  t.regex(
    summary,
    /^inv-2 failed its burn-in: ended 2026-11-27T13:33:06\.000Z, took 0 s, workflow w-1\n {2}disk: slow\n$/,
  );
  t.deepEqual(JSON.parse((await nw.run('node', 'burn-in', 'inv-2', '-o', 'json')).stdout), burnIn);
  for (const args of [
    ['power', 'inv-2', 'off'],
    ['remove', 'inv-2'],
    ['discover', 'inv-2'],
  ]) {
    const { status, stderr } = await nw.run('node', ...args);
    t.is(status, 2, args.join(' '));
    t.regex(stderr, /Without a terminal, confirm it by --yes/);
  }
  t.deepEqual((await daemon.api('GET', `/nodes/${id}/workflows`)).body, []);
  const { status, stdout } = await nw.run('node', 'power', 'inv-2', 'off', '--yes');
  t.is(status, 0);
  t.is((await daemon.api('GET', `/workflows/${stdout.trim()}`)).body.injectableName, 'Graph.PowerOff.Node');
  t.is((await nw.run('node', 'power', 'inv-2', 'up')).status, 2);
});

test.serial('a SKU is explained rule by rule, and rules can be tried without a change', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const id = await addNode(daemon, 'inv-3');
  const rules = [{ path: 'dmi.Maker', contains: 'Dell' }];
  await daemon.api('POST', `/nodes/${id}/catalogs`, { source: 'dmi', data: { Maker: 'Acme\u001b[2J' } });
  t.is((await daemon.api('POST', '/skus', { name: 'dell', rules })).status, 201);
  const explained = (await nw.run('sku', 'explain', 'inv-3')).stdout;
  t.regex(
    explained,
    /^inv-3 is of no SKU\nno {2}dell\n {5}no {2}dmi\.Maker contains "Dell"; found "Acme\\u001b\[2J"\n$/,
  );
  const file = join(folder(t), 'rules.json');
  writeFileSync(file, JSON.stringify({ rules: [{ path: 'dmi.Maker', contains: 'Acme' }] }));
  t.regex((await nw.run('sku', 'what-if', file)).stdout, /inv-3 +-$/m);
  writeFileSync(file, JSON.stringify(rules));
  t.is((await nw.run('sku', 'what-if', file)).stderr, 'none\n');
  t.is(JSON.parse((await nw.run('sku', 'show', 'dell', '-o', 'json')).stdout).name, 'dell');
  t.is(JSON.parse((await nw.run('skus', '-o', 'json')).stdout).length, 1);
  t.deepEqual(JSON.parse((await nw.run('packs', '-o', 'json')).stdout), []);
});

test.serial(
  'a graph is put from a file, and its versions are listed; a wrong one is rejected with the path',
  async (t) => {
    const nw = commandLine(t, await daemonOf());
    const file = join(folder(t), 'graph.json');
    const graph = {
      friendlyName: 'Put',
      injectableName: 'Graph.Cli.Put',
      tasks: [{ label: 'a', taskName: 'Task.noop' }],
    };
    writeFileSync(file, JSON.stringify(graph));
    t.is((await nw.run('graph', 'put', file)).stdout, 'Graph.Cli.Put\n');
    writeFileSync(file, JSON.stringify({ ...graph, tasks: [{ label: 'b', taskName: 'Task.noop' }] }));
    t.is((await nw.run('graph', 'put', file)).status, 0);
    const versions = JSON.parse((await nw.run('graph', 'versions', 'Graph.Cli.Put', '-o', 'json')).stdout);
    t.is(versions.length, 2);
    t.regex((await nw.run('graph', 'diff', 'Graph.Cli.Put')).stdout, /^-\s+"label": "a"[\s\S]*^\+\s+"label": "b"/m);
    const oldest = versions.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent).hash;
    t.is((await nw.run('graph', 'diff', 'Graph.Cli.Put', oldest.slice(0, 8))).status, 0);
    t.is((await nw.run('graph', 'diff', 'Graph.Cli.Put', 'ffff')).status, 2);
    const release = await nw.run('graph', 'release', 'Graph.Cli.Put', oldest.slice(0, 8));
    t.is(release.status, 1);
    t.regex(release.stderr, /is not quarantined; expected a quarantined one/);
    t.regex((await nw.run('graph', 'release', 'Graph.Cli.Put')).stderr, /found 0 quarantined versions/);
    t.is(JSON.parse((await nw.run('graph', 'show', 'Graph.Cli.Put')).stdout).tasks[0].label, 'b');
    writeFileSync(file, JSON.stringify({ ...graph, tasks: [{ label: 'c', taskName: 'Task.Wait.Notification' }] }));
    t.regex(
      (await nw.run('graph', 'put', file)).stderr,
      /^Warnings: NO_TIMEOUT label=c\. nw graph check .* explains them\.$/m,
    );
    writeFileSync(file, JSON.stringify({ ...graph, tasks: [{ label: 'b', taskName: 'Task.nope' }] }));
    const wrong = await nw.run('graph', 'put', file);
    t.is(wrong.status, 1);
    t.regex(wrong.stderr, /tasks\.0\.taskName.*Task\.nope/s);
    writeFileSync(file, '{');
    t.is((await nw.run('graph', 'put', file)).status, 2);
    t.regex((await nw.run('graphs')).stdout, /^Graph\.Cli\.Put +Put$/m);
  },
);

test.serial('users and tokens: a token for a program works, until it is revoked', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const made = await nw.run(
    'token',
    'create',
    '--user',
    'tester',
    '--note',
    'ci',
    '--privilege',
    'Read',
    '--expires',
    '90d',
    '-o',
    'json',
  );
  const { id, token } = JSON.parse(made.stdout);
  const asProgram = commandLine(t, daemon, { NW_TOKEN: token });
  t.is((await asProgram.run('nodes', '-o', 'json')).status, 0);
  const forbidden = await asProgram.run('node', 'add', 'x');
  t.is(forbidden.status, 1);
  t.regex(forbidden.stderr, /FORBIDDEN|Forbidden/);
  t.regex(forbidden.stderr, /expected Write or ConfigureComponents/);
  const { stdout } = await nw.run('token', 'list', '--user', 'tester');
  t.regex(stdout, new RegExp(`^${id.slice(0, 8)} +${token.slice(0, 8)}\\.\\.\\. +ci +Read +\\d{4}-\\S+ +`, 'm'));
  t.is((await nw.run('token', 'revoke', id.slice(0, 8), '--user', 'tester')).status, 0);
  const ended = await asProgram.run('nodes');
  t.is(ended.status, 1);
  t.is(ended.stderr, 'nw: The token is missing, has ended, or is not one of this daemon; run: nw login\n');
  t.regex((await nw.run('users')).stdout, /^tester +Administrator +- +\d{4}-/m);
});

test.serial('the doctor names what needs attention, and the remedy', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const findings = JSON.parse((await nw.run('doctor', '-o', 'json')).stdout) as { subject: string; state: string }[];
  const states = Object.fromEntries(findings.map(({ subject, state }) => [subject, state]));
  t.like(states, {
    daemon: 'ok',
    stores: 'ok',
    broker: 'ok',
    clock: 'ok',
    backup: 'warning',
    definitions: 'ok',
    BMCs: 'ok',
  });
  const file = join(folder(t), 'backup.tgz');
  const local = commandLine(t, daemon, { NODEWRIGHT_CONFIG: daemon.file });
  t.is((await local.run('backup', 'create', file)).status, 0);
  t.regex((await nw.run('doctor')).stdout, /^ok +backup +made \d{4}-\S+$/m);
});

test.serial('a shell completes commands, options, choices, and names of the daemon', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  await addNode(daemon, 'complete-me');
  const completed = async (...words: string[]) => (await nw.run('complete', '--', ...words)).stdout.trim().split('\n');
  t.deepEqual(await completed('node', 'po'), ['power']);
  t.deepEqual(await completed('node', 'power', 'complete-'), ['complete-me']);
  t.deepEqual(await completed('node', 'power', 'complete-me', 're'), ['reboot', 'reset']);
  t.deepEqual(await completed('graph', 'show', 'Graph.Cli.F'), ['Graph.Cli.Fail']);
  t.deepEqual(await completed('nodes', '--ta'), ['--tag']);
  for (const shell of ['bash', 'zsh', 'fish']) t.regex((await nw.run('completion', shell)).stdout, /nw complete --/);
});

test.serial('each limit of a team is set and removed alone', async (t) => {
  const nw = commandLine(t, await daemonOf());
  const quotas = async () => JSON.parse((await nw.run('teams', '-o', 'jsonl')).stdout).quotas;
  t.is((await nw.run('team', 'add', 'limited')).stdout, 'limited\n');
  t.is((await nw.run('team', 'quota', 'limited', '20', '--rollouts', '3')).status, 0);
  t.deepEqual(await quotas(), { runningWorkflows: 20, rollouts: 3 });
  t.is((await nw.run('team', 'quota', 'limited', 'none')).status, 0);
  t.deepEqual(await quotas(), { rollouts: 3 });
  t.is((await nw.run('team', 'quota', 'limited', '--rollouts', 'none')).status, 0);
  t.deepEqual(await quotas(), {});
  t.is((await nw.run('team', 'remove', 'limited')).status, 0);
});
