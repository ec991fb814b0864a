/** Tools of vendors on a machine of a twin: they show its state and change it, and what they change is in the ledger. */
import test from 'ava';
import { answerCommand } from '../../../../engine/hardware/twin/commands/answer-command.ts';
import { fileNameIn } from '../../../../engine/hardware/twin/commands/boot-files.ts';
import { catalogOf } from '../../../../engine/inventory/agents/output-formats.ts';
import { offlineTwin, runOn } from '../../../support/twin/offline-twin.ts';

const STORCLI = '/opt/MegaRAID/storcli/storcli64';

/** The commands of one boot, on the drives `sda` (SATA, slot 0) and `sdb` (SAS, slot 2). */
function boot(files: Readonly<Record<string, string>> = {}) {
  const twin = offlineTwin({
    answer: ({ url }) => {
      const text = files[fileNameIn(url.replace(/\/md5$/, ''))];
      return text === undefined ? undefined : { status: 200, text };
    },
  });
  const first = runOn(twin, '');
  return { ...twin, run: (command: string) => answerCommand({ ...first, command }) };
}

test('storcli makes volumes of free drives, shows them, and deletes them', async (t) => {
  const { machine, ledger, run } = boot();
  const list = async (what: string) => catalogOf('json', (await run(`sudo ${STORCLI} /c0 ${what} J`)).stdout);
  t.regex(JSON.stringify(await list('/eall /sall show all')), /"EID:Slt":"252:0".*"State":"UGood"/);
  t.is((await run(`${STORCLI} /c0 add vd type=raid0 name=data drives=252:0`)).exitCode, 0);
  t.is(machine.state.bmc.volumes?.[0]?.name, 'data');
  t.regex(JSON.stringify(await list('/vall show all')), /"TYPE":"RAID0".*"Name":"data"/);
  t.regex(JSON.stringify(await list('/eall /sall show all')), /"State":"Onln"/);
  t.is((await run(`${STORCLI} /c0 add vd type=raid0 drives=252:0`)).exitCode, 1);
  t.is((await run(`${STORCLI} /c0 add vd type=raid1 drives=252:2`)).exitCode, 1);
  t.is((await run(`${STORCLI} /c0/vall del force`)).exitCode, 0);
  t.deepEqual(machine.state.bmc.volumes, []);
  t.is((await run(`${STORCLI} /c1 show all J`)).exitCode, 1);
  t.deepEqual(ledger, ['create data RAID0 SN-SDA: done', 'delete data SN-SDA: done']);
});

test('firmware is written from a file that was fetched and checked in this boot', async (t) => {
  const md5 = '"0cc175b9c0f1b6a831c399e269772661"';
  const { machine, ledger, run } = boot({ 'bios-9.9.1.bin': 'a' });
  t.is((await run('/opt/ami/afulnx_64 bios-9.9.1.bin /P /B')).exitCode, 1);
  t.is((await run('curl --retry 3 http://files/bios-9.9.1.bin -o /opt/downloads/bios-9.9.1.bin')).exitCode, 0);
  const check = (given: string) =>
    `test \`curl http://files/${given}/md5\` = \\"\`md5sum /opt/downloads/bios-9.9.1.bin| awk '{print $1}'\`\\"`;
  t.is((await run(check('bios-9.9.1.bin'))).exitCode, 1); // the answer is the file itself
  t.is((await run('cd /opt/ami;sudo ./afulnx_64 bios-9.9.1.bin /P /B > /tmp/log;tail -n 100 /tmp/log')).exitCode, 0);
  t.is(machine.state.bmc.stagedBios, '9.9.1');
  t.deepEqual(ledger, ['BIOS from bios-9.9.1.bin: done']);
  const other = boot({ 'x.bin': 'a', 'y.bin': md5 });
  await other.run('curl http://files/x.bin -o /opt/downloads/bios-9.9.1.bin');
  t.is((await other.run(check('y.bin'))).exitCode, 0);
});

test('the tools that show versions print what their catalogs need', async (t) => {
  const { run } = boot();
  const rom = catalogOf('ami', (await run('cd /opt/ami; sudo ./afulnx_64 /S')).stdout);
  t.is(rom.systemRomId, '1.13.2');
  const versions = catalogOf('flashupdt', (await run('sudo /opt/intel/flashupdt -i')).stdout);
  t.deepEqual(versions['BIOS Version Information'], { 'BIOS Version': '1.13.2' });
  t.regex((await run('sudo /opt/MegaRAID/perccli/perccli64 -v')).stdout, /Ver 007/);
});

const script = (name: string) => `fetch 'http://daemon/${name}' ${name} && chmod 555 ${name} || exit 1\nsudo ./${name}`;

test('scripts of RackHD do what the daemon rendered into them', async (t) => {
  const set = '   ipmitool user set name $userNumber rack\n   ipmitool user set password $userNumber Abc\n';
  const raid = [
    'path=/opt/MegaRAID/storcli/storcli64',
    'controller=0',
    '  $path /c$controller add vd type=raid0 drives=252:2',
  ];
  const { machine, ledger, run } = boot({
    'set.sh': set,
    'remove.sh': 'usernames=(rack other)',
    'raid.sh': raid.join('\n'),
    'odd.sh': 'echo odd',
  });
  t.is((await run(script('set.sh'))).exitCode, 0);
  t.true(machine.state.bmc.accounts.some(({ user, password }) => user === 'rack' && password === 'Abc'));
  t.is((await run(script('remove.sh'))).exitCode, 0);
  t.false(machine.state.bmc.accounts.some(({ user }) => user === 'rack'));
  t.is((await run(script('raid.sh'))).exitCode, 0);
  t.deepEqual(
    machine.state.bmc.volumes?.map(({ raid: level, drives }) => [level, drives]),
    [['RAID0', ['SN-SDB']]],
  );
  t.is((await run(script('odd.sh'))).exitCode, 127);
  t.is(ledger.length, 3);
});
