/** Switches of a twin: how they ask for their program, which programs they know, and what scripts do on them. */
import test from 'ava';
import { answerCommand } from '../../../../engine/hardware/twin/commands/answer-command.ts';
import { answerSwitchScript } from '../../../../engine/hardware/twin/commands/switch-scripts.ts';
import type { Model } from '../../../../engine/hardware/twin/machine/model.ts';
import { switchModels } from '../../../../engine/hardware/twin/read-model.ts';
import { programIn, zeroTouchRequest } from '../../../../engine/hardware/twin/zero-touch.ts';
import { catalogOf } from '../../../../engine/inventory/agents/output-formats.ts';
import { type SwitchVendor, switchMacHeaders, switchVendors } from '../../../../engine/vocabulary/switch-vendors.ts';
import { type OfflineTwin, offlineTwin, runOn } from '../../../support/twin/offline-twin.ts';

const model = switchModels().get('edgecore-as7726') as Model;
const { signal } = new AbortController();

const switchOf = (vendor: SwitchVendor, answer?: (url: string) => string | undefined): OfflineTwin =>
  offlineTwin({
    model: { ...model, switch: { vendor, version: '4.30.1F' } },
    answer: ({ url }) => {
      const text = answer?.(url);
      return text === undefined ? { status: 404, text: '' } : { status: 200, text };
    },
  });

test('a switch of each vendor asks with a MAC, in a header that the daemon reads, or in the query', (t) => {
  for (const vendor of switchVendors) {
    const { machine } = switchOf(vendor);
    const { url, headers } = zeroTouchRequest(machine);
    t.true(url.startsWith(`/api/current/profiles/switch/${vendor}`));
    const [name = '', sent] = Object.entries(headers)[0] ?? [];
    const mac = sent ?? new URLSearchParams(url.split('?')[1] ?? '').get('mac') ?? '';
    t.is(mac, machine.facts.macs[0] ?? '-');
    t.true(name === '' || switchMacHeaders.includes(name), `${vendor}: ${name}`);
  }
});

test('it knows the program of the daemon and those of RackHD, and asks again for any other text', (t) => {
  const own = "#!/bin/sh\nurl='http://h:1/api/current/tasks/bootstrap.sh?nodeId=n-1'\nkey='n-1.k'\n";
  t.is(
    (programIn(own) as { cmdline: string }).cmdline,
    'nodewright.api=http://h:1/api/current nodewright.node=n-1 nodewright.key=n-1.k',
  );
  const python = "TASKS_URI = 'http://h:1/api/2.0/tasks/n-1?key=k'\n";
  const shell = 'TASKS_URI="http://h:1/api/2.0/tasks/n-1"\n';
  t.like(programIn(python), { cmdline: 'switch.tasks=http://h:1/api/2.0/tasks/n-1?key=k' });
  t.like(programIn(shell), { cmdline: 'switch.tasks=http://h:1/api/2.0/tasks/n-1' });
  t.is(programIn('#!ipxe\nexit\n'), 'again');
});

const versions: readonly [vendor: SwitchVendor, script: string, value: RegExp][] = [
  ['arista', 'cmd = "Cli -c \'show version\'"', /"Softwareimageversion\\?":\\?"4\.30\.1F/],
  ['brocade', "CLI('show system', do_print=False)", /4\.30\.1F/],
  ['cisco', "clid('show version')", /"sys_ver_str":"4\.30\.1F"/],
  ['dell', 'V=$( f10do "show system" | grep Version)', /"osVersion":"4\.30\.1F"/],
  ['onie', 'V=$( onie-sysinfo -v )', /"version":"4\.30\.1F"/],
];

for (const [vendor, script, value] of versions) {
  test(`a script of RackHD that reads the version works on a switch of ${vendor} only`, async (t) => {
    const { exitCode, stdout } = await answerSwitchScript(script, switchOf(vendor).machine, signal);
    t.is(exitCode, 0);
    t.regex(stdout, value);
    for (const other of switchVendors.filter((name) => name !== vendor))
      t.is((await answerSwitchScript(script, switchOf(other).machine, signal)).exitCode, 127, other);
  });
}

test('a switch says the hardware that rules of its maker ask for', async (t) => {
  const said = async (vendor: SwitchVendor, script: string, parts: Partial<Model>) => {
    const { machine } = offlineTwin({ model: { ...model, ...parts, switch: { vendor, version: '6.0.1' } } });
    return JSON.parse((await answerSwitchScript(script, machine, signal)).stdout);
  };
  const version = "clid('show version')";
  t.is((await said('cisco', version, { product: 'Nexus 3048' })).chassis_id, 'Nexus 3048 Chassis');
  t.is(
    (await said('cisco', version, { product: 'Nexus9000 C9372PX chassis' })).chassis_id,
    'Nexus9000 C9372PX chassis',
  );
  t.regex(
    await said('brocade', "CLI('show system')", { sku: '131.7' }),
    /Hardware Rev\s*: 131\.7\nNOS Version\s*: 6\.0\.1/,
  );
});

test('a configuration sets the account that the daemon has rendered, and an incomplete one nothing', async (t) => {
  const { machine, ledger } = switchOf('dell');
  const lines = ['exec f10do "$cmd_str"', '  execFtosCommand "username ops password secret"'];
  t.is((await answerSwitchScript(lines.join('\n'), machine, signal)).exitCode, 2);
  t.deepEqual(ledger, []);
  const whole = [...lines, '  execFtosCommand "ip address dhcp"'].join('\n');
  t.is((await answerSwitchScript(whole, machine, signal)).exitCode, 0);
  t.deepEqual(ledger, ['set ops of the switch: done']);
  t.deepEqual(machine.state.bmc.vendor, { switchUser: 'ops', switchAddress: 'dhcp' });
});

test('an installer is fetched before anything is written', async (t) => {
  const { machine, ledger } = switchOf('onie', (url) => (url.endsWith('/nos.bin') ? 'an installer' : undefined));
  const install = (file: string) => answerSwitchScript(`set -e\nonie-nos-install http://h/${file}`, machine, signal);
  t.is((await install('missing.bin')).exitCode, 1);
  t.deepEqual(ledger, []);
  t.is((await install('nos.bin')).exitCode, 0);
  t.deepEqual(ledger, ['sda nos.bin: done']);
  t.is(machine.state.drives[0]?.system?.name, 'nos.bin');
});

test('the collector of the daemon makes its catalog on a switch, and fails on a server', async (t) => {
  const command = "if has FastCli; then\n  FastCli -p 15 -c 'show version | json'";
  const { stdout } = await answerCommand(runOn(switchOf('sonic'), command));
  t.like(catalogOf('json', stdout), { vendor: 'sonic', modelName: 'AS7726-32X', version: '4.30.1F' });
  t.is((await answerCommand(runOn(offlineTwin(), command))).exitCode, 1);
});
