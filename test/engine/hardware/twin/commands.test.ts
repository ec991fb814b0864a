/** The commands that shipped tasks send, answered by a machine of a twin: each is known, and its output is that of its catalog. */
import test from 'ava';
import { initialTransition } from 'xstate';
import type { Command } from '../../../../engine/define/command.ts';
import { commandOfScript } from '../../../../engine/define/script-items.ts';
import { burnInCollect, burnInCommand, burnInLook } from '../../../../engine/hardware/burn-in/burn-in-commands.ts';
import { burnInTests } from '../../../../engine/hardware/burn-in/burn-in-tests.ts';
import { factsOf, readyOf } from '../../../../engine/hardware/erase/facts.ts';
import { beginCommand, type Job, lookCommand, watchCommand } from '../../../../engine/hardware/erase/job-commands.ts';
import lookScript from '../../../../engine/hardware/erase/scripts/look.sh';
import partsScript from '../../../../engine/hardware/erase/scripts/parts.sh';
import { argumentOf, type ToolName, toolNames, tools } from '../../../../engine/hardware/erase/tools.ts';
import type { DeviceUpdate } from '../../../../engine/hardware/firmware/device-updates.ts';
import { deviceLook, updateCommand } from '../../../../engine/hardware/firmware/update-commands.ts';
import { writeImageCommand } from '../../../../engine/hardware/install/image-commands.ts';
import { raidCommand, raidLook } from '../../../../engine/hardware/raid/raid-commands.ts';
import { accountScript } from '../../../../engine/hardware/redfish/create-account.ts';
import { answerCommand, kindOfCommand } from '../../../../engine/hardware/twin/commands/answer-command.ts';
import { catalogOf } from '../../../../engine/inventory/agents/output-formats.ts';
import { everyTask } from '../../../support/data/catalogue.ts';
import { offlineTwin, runOn } from '../../../support/twin/offline-twin.ts';

const drives = [
  { devName: 'sda', tool: 'scrub' as const },
  { devName: 'nvme0n1', tool: 'nvme_format' as const },
];
const job: Job = { devName: 'sda', tool: 'scrub', arg: 'nnsa', size: 4_096, identity: 'x', minutes: 0 };
const seed = { 'user-data': '#cloud-config\n{"a":"it\'s"}', 'meta-data': '{"local-hostname":"h"}' };
const image = {
  run: 'r-1',
  devName: 'sda',
  wwid: 'naa.5',
  url: 'images/x.gz',
  sha256: 'ab',
  format: 'gz',
  grow: true,
  seed,
};

const updates: DeviceUpdate[] = [{ kind: 'nvme', model: 'A1', version: '2', file: 'f', sha256: 'ab' }];

/** Options with which a task sends its commands; those whose commands are made by functions have these. */
const sent: Record<string, Command[] | Record<string, unknown>[]> = {
  'Task.Drive.SecureErase': [lookCommand(drives), beginCommand('r', 'b', [job]), watchCommand('r', 'b', [job])],
  'Task.Os.Image.Write': [writeImageCommand(image)],
  'Task.BurnIn.Prepare': [burnInLook(['SN-SDA'])],
  ...Object.fromEntries(
    burnInTests.map((test) => [
      `Task.BurnIn.${test[0]?.toUpperCase()}${test.slice(1)}`,
      [burnInCommand({ run: 'w', test, wanted: { seconds: '1', boot_before: 'b' } })],
    ]),
  ),
  'Task.BurnIn.Conclude': [burnInCollect('w', ['cpu'], [])],
  'Task.Raid.Plan.InBand': [raidLook()],
  'Task.Raid.Configure.InBand': [raidLook('mdadm'), raidCommand({ run: 'w', wanted: { boot_before: 'b' } })],
  'Task.Firmware.Update.InBand': [
    deviceLook(updates),
    updateCommand({ run: 'w', wanted: { boot_before: 'b', kind: 'nvme', drive: 'nvme0n1' } }),
  ],
  'Task.Firmware.Verify.InBand': [deviceLook(updates)],
  'Task.Bmc.CreateAccount': [{ command: accountScript('rack', 'Abcdefgh23456789'), timeoutSec: 60 }],
  'Task.Linux.Commands': [
    { commands: ['echo hello', 'sleep 1 && uname -r || true', { command: 'cat /proc/cmdline' }] },
  ],
  'Task.Linux.Scripts': [{ commands: ['sudo reboot', { command: 'sudo dmidecode -s system-uuid' }] }],
  'Task.Linux.Catalog': [{ commands: ['sudo dmidecode', 'sudo lshw -json', 'sudo ipmitool lan print 1', 'ohai'] }],
  'Task.Linux.ShellReboot': [{ rebootCode: 1 }, { rebootCode: 0 }],
  'Task.Discovery.Collect': [{ from: 'agent' }],
};

const isCommand = (given: Command | Record<string, unknown>): given is Command => typeof given.command === 'string';

function commandsOf(task: (typeof everyTask)[number]): Command[] {
  return (sent[task.name] ?? [{}]).flatMap((given) => {
    if (isCommand(given)) return [given];
    const options = { ...(task.defaults as object), ...given };
    const [{ context }] = initialTransition(task.machine, { options, nodeId: 'n', workflowId: 'w' });
    return (context as { commands: Command[] }).commands;
  });
}

const senders = everyTask.filter(
  ({ takesCommands, source }) => takesCommands && JSON.stringify(source).includes('/tasks/'),
);
const shipped = senders.filter(({ source }) => !JSON.stringify(source).includes('fixtures'));

test('a twin knows each command of each shipped task', (t) => {
  t.true(shipped.length >= 13, shipped.map(({ name }) => name).join());
  for (const task of shipped) {
    const commands = commandsOf(task);
    t.true(commands.length > 0, task.name);
    for (const { command } of commands) t.truthy(kindOfCommand(command), `${task.name}: ${command.slice(0, 200)}`);
  }
});

/** They print no catalog, or not on a server. */
const withoutCollector = ['Task.Drive.SecureErase', 'Task.Os.Image.Write', 'Task.Linux.Scripts', 'Task.Catalog.Switch'];

test('each collector succeeds, and makes the catalog of its format', async (t) => {
  const twin = offlineTwin();
  for (const task of shipped) {
    if (withoutCollector.includes(task.name)) continue;
    for (const { command, catalog } of commandsOf(task)) {
      const { exitCode, stdout, stderr } = await answerCommand(runOn(twin, command));
      t.is(exitCode, 0, `${task.name}: ${command.slice(0, 200)}: ${stderr}`);
      if (catalog !== undefined) t.notThrows(() => catalogOf(catalog.format, stdout), `${task.name}: ${stdout}`);
    }
  }
});

test('the catalog of drives has the keys that its script prints', async (t) => {
  const { command } = commandsOf(shipped.find(({ name }) => name === 'Task.Catalog.Drive.Id') as never)[0] as Command;
  const keys = [...command.matchAll(/echo "\$n\.(\w+):?=/g)].map(([, key]) => key);
  const { stdout } = await answerCommand(runOn(offlineTwin(), command));
  const catalog = catalogOf('paths', stdout) as unknown as Record<string, unknown>[];
  t.deepEqual(
    catalog.map((drive) => Object.keys(drive)),
    [keys, keys, keys],
  );
  t.deepEqual(
    catalog.map(({ devName, protocol }) => `${devName} ${protocol}`),
    ['nvme0n1 nvme', 'sda ata', 'sdb scsi'],
  );
});

test('the catalog of basics has the paths that its script prints', async (t) => {
  const { command } = commandsOf(shipped.find(({ name }) => name === 'Task.Catalog.ohai') as never)[0] as Command;
  const paths = [...command.matchAll(/^ *(?:say|number|read_from) "?([\w.$]+)/gm)].map(([, path = '']) => path);
  const { stdout } = await answerCommand(runOn(offlineTwin(), command));
  const said = new Set(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/:?=.*/, '')),
  );
  // The microkernel has no /etc/os-release.
  const expected = paths.filter((path) => !path.startsWith('platform'));
  t.true(expected.length > 20);
  for (const path of expected) t.true(said.has(path.replace('$key', 'eno1')), path);
  t.is([...said].filter((path) => !/\.(eno2|lo)\./.test(path) && !/eno[3-9]/.test(path)).length, expected.length);
});

test('the facts of drives, and the outcome of an erase, have the keys that the scripts print', async (t) => {
  const twin = offlineTwin();
  const looked = await answerCommand(runOn(twin, lookCommand([{ devName: 'sda', tool: 'hdparm' }]).command));
  const words = /for key in ([A-Z ]+);/.exec(lookScript)?.[1]?.split(' ') ?? [];
  const keys = [...lookScript.matchAll(/say "\$1\.(\w+)"/g)].map(([, key = '']) => key);
  const expected = [...keys, ...words].filter((key) => key !== 'version');
  t.deepEqual(Object.keys(factsOf(looked.stdout).get('sda') ?? {}).sort(), expected.sort());
  const { jobs, boot } = await begun(twin, 'scrub', 'sda');
  const ended = await answerCommand(runOn(twin, beginCommand('r1', boot, jobs).command));
  const reported = [...partsScript.matchAll(/for key in ([a-z ]+);/g)].flatMap(([, list = '']) => list.split(' '));
  t.true(reported.length >= 8, reported.join());
  t.deepEqual(Object.keys(factsOf(ended.stdout).get('0') ?? {}).sort(), ['state', ...reported].sort());
});

test('a drive is ready for every tool of its protocol, and for no other', async (t) => {
  const twin = offlineTwin();
  const protocols = { ata: 'sda', scsi: 'sdb', nvme: 'nvme0n1' };
  for (const tool of toolNames) {
    for (const [protocol, devName] of Object.entries(protocols)) {
      const { stdout } = await answerCommand(runOn(twin, lookCommand([{ devName, tool }]).command));
      const arg = argumentOf(tool, undefined) ?? '';
      const planned = [{ devName, identifier: 0, wwid: '', tool, arg }];
      const { jobs, violations } = readyOf(planned, factsOf(stdout));
      const fits = tools[tool].protocol === undefined || tools[tool].protocol === protocol;
      t.is(violations.length, fits ? 0 : 1, JSON.stringify(violations));
      if (tool === 'hdparm' && fits) t.is(jobs[0]?.minutes, 10);
    }
  }
});

/** The timers of a twin do not keep its process alive. */
const heartbeat = setInterval(() => {}, 1_000);
test.after.always(() => clearInterval(heartbeat));

/** Looks at the drive, and begins its erase. */
async function begun(twin: ReturnType<typeof offlineTwin>, tool: ToolName, devName: string) {
  const looked = await answerCommand(runOn(twin, lookCommand([{ devName, tool }]).command));
  const facts = factsOf(looked.stdout);
  const arg = argumentOf(tool, undefined) ?? '';
  const { jobs } = readyOf([{ devName, identifier: 0, wwid: '', tool, arg }], facts);
  return { jobs, boot: facts.get('')?.boot ?? '' };
}

test('an erase is begun once; a rebooted node, a missing and a swapped drive are rejected as by the script', async (t) => {
  const twin = offlineTwin();
  const { jobs, boot } = await begun(twin, 'scrub', 'sda');
  const rejected = async (what: RegExp, at = boot) => {
    const { exitCode, stderr } = await answerCommand(runOn(twin, beginCommand('r1', at, jobs).command));
    t.is(exitCode, 3);
    t.regex(stderr, what);
  };
  await rejected(/^the node was rebooted\n$/, 'another');
  const drive = twin.machine.state.drives.find(({ name }) => name === 'sda');
  Object.assign(drive ?? {}, { isMissing: true });
  await rejected(/^sda is no longer the drive that was inspected\n$/);
  Object.assign(drive ?? {}, { isMissing: false, serial: 'OTHER' });
  await rejected(/^sda is no longer/);
  Object.assign(drive ?? {}, { serial: 'SN-SDA' });
  t.deepEqual(twin.ledger, []);
  const command = beginCommand('r1', boot, jobs).command;
  const first = await answerCommand(runOn(twin, command));
  const second = await answerCommand(runOn(twin, command));
  t.is(first.stdout, second.stdout);
  t.like(factsOf(first.stdout).get('0'), { state: 'ended', exit: '0' });
  t.deepEqual(twin.ledger, ['sda scrub nnsa: begun', 'sda scrub nnsa: done']);
  const lost = await answerCommand(runOn(twin, watchCommand('r1', 'another', jobs).command));
  t.like(factsOf(lost.stdout).get('0'), { state: 'lost' });
  const absent = await answerCommand(runOn(twin, watchCommand('r2', boot, jobs).command));
  t.like(factsOf(absent.stdout).get('0'), { state: 'absent' });
});

test('a cancel stops scrub; an erase in firmware continues, and says so', async (t) => {
  for (const [tool, name, exitCode, text] of [
    ['scrub', 'sda', 0, 'sda: scrub was stopped; a part of the drive is overwritten.\n'],
    ['nvme_format', 'nvme0n1', 4, /^nvme0n1: nvme_format continues in the firmware .* do not cut its power\.\n$/],
  ] as const) {
    const twin = offlineTwin({ speed: 1 });
    const { jobs, boot } = await begun(twin, tool, name);
    const begin = runOn(twin, beginCommand('r', boot, jobs).command);
    const answer = await answerCommand({ ...begin, isCancelled: () => twin.ledger.length > 0 });
    t.is(answer.exitCode, exitCode);
    if (typeof text === 'string') t.is(answer.stdout, text);
    else t.regex(answer.stdout, text);
  }
});

test('an unknown program, and what only a shell can do, ends with 127 and says why', async (t) => {
  for (const command of [
    'mkfs.ext4 /dev/sda1',
    'lspci | grep x',
    'echo $(date)',
    'lshw',
    'for x in 1 2; do true; done',
  ]) {
    const { exitCode, stderr } = await answerCommand(runOn(offlineTwin(), command));
    t.is(exitCode, 127, command);
    t.regex(stderr, /not found; a twin of a machine does not know it/);
  }
});

for (const [command, exitCode, stdout] of [
  ['echo one \'two  three\' "four"', 0, 'one two  three four\n'],
  ['false && echo no; echo yes', 0, 'yes\n'],
  ['false || exit 3', 3, ''],
  ['echo "$NODEWRIGHT_CALLBACK"', 0, 'http://callback\n'],
  ['echo lost >/dev/null 2>&1; echo # comment', 0, '\n'],
  ['sleep 100', 124, ''],
  ['echo kept > /tmp/file; tail -n 1 /tmp/file', 0, 'kept\n'],
  ['mv /tmp/none /tmp/other || echo none', 0, 'none\n'],
  ['dmidecode -s system-serial-number', 0, /^[0-9A-F]{7}\n$/],
  [commandOfScript({ command: 'sudo hostname' }, 10, false).command, 0, 'microkernel\n'],
] as const) {
  test(`a list of simple commands: ${command.slice(0, 40)}`, async (t) => {
    const answer = await answerCommand(runOn(offlineTwin(), command, { timeoutSec: 60 }));
    t.is(answer.exitCode, exitCode, answer.stderr);
    if (typeof stdout === 'string') t.is(answer.stdout, stdout);
    else t.regex(answer.stdout, stdout);
  });
}
