/**
 * Scripts for a switch. Those of RackHD's templates are recognized by the command of the vendor's software that they call, with
 * the values that the daemon has rendered; on a switch of another vendor that command is missing.
 */
import type { SwitchVendor } from '../../../vocabulary/switch-vendors.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { fileNameIn } from './boot-files.ts';
import { type CommandAnswer, commandAnswer, failedWith } from './command-run.ts';

type Script = (machine: Machine, text: string, signal: AbortSignal) => CommandAnswer | Promise<CommandAnswer>;

interface ScriptKind {
  vendor: SwitchVendor;
  matches: RegExp;
  answer: Script;
}

const versionOf = ({ facts }: Machine): string => facts.model.switch?.version ?? '';
/** NX-OS has the product, and the word in either case. */
const chassisOf = ({ facts: { model } }: Machine): string =>
  /chassis$/i.test(model.product) ? model.product : `${model.product} Chassis`;
const macOfSwitch = ({ facts }: Machine): string => facts.macs[0] ?? '';

const kinds: readonly ScriptKind[] = [
  {
    vendor: 'arista',
    matches: /Cli -c 'show version'/,
    // The script returns a text, which the program encodes again.
    answer: (machine) =>
      jsonAnswer(
        JSON.stringify({
          Hardwaremodel: machine.facts.model.product,
          Serialnumber: machine.facts.serial,
          SystemMACaddress: macOfSwitch(machine),
          Softwareimageversion: versionOf(machine),
        }),
      ),
  },
  {
    vendor: 'cisco',
    matches: /clid\('show version'\)/,
    answer: (machine) =>
      jsonAnswer({
        chassis_id: chassisOf(machine),
        proc_board_id: machine.facts.serial,
        sys_ver_str: versionOf(machine),
        manufacturer: 'Cisco Systems, Inc.',
      }),
  },
  {
    vendor: 'brocade',
    matches: /CLI\('show system'/,
    answer: (machine) =>
      jsonAnswer(
        [
          ['Stack MAC', macOfSwitch(machine)],
          ['Hardware Rev', machine.facts.model.sku],
          ['NOS Version', versionOf(machine)],
        ]
          .map(([name = '', value]) => `${name.padEnd(24)}: ${value}\n`)
          .join(''),
      ),
  },
  {
    vendor: 'dell',
    matches: /f10do "show system"/,
    answer: (machine) =>
      jsonAnswer({
        osVersion: versionOf(machine),
        stackMack: macOfSwitch(machine),
        moduleType: machine.facts.model.product.replaceAll(' ', ''),
      }),
  },
  { vendor: 'dell', matches: /exec f10do "\$cmd_str"/, answer: configure },
  {
    vendor: 'onie',
    matches: /onie-sysinfo -v/,
    answer: (machine) => jsonAnswer({ version: versionOf(machine), serialNb: machine.facts.serial }),
  },
  { vendor: 'onie', matches: /^onie-nos-install \S+/m, answer: installSystem },
];

const jsonAnswer = (value: unknown): CommandAnswer => commandAnswer(JSON.stringify(value));

/** @throws the reason of the signal */
export async function answerSwitchScript(text: string, machine: Machine, signal: AbortSignal): Promise<CommandAnswer> {
  const vendor = machine.facts.model.switch?.vendor;
  const kind = kinds.find((each) => each.matches.test(text) && each.vendor === vendor);
  return (
    kind?.answer(machine, text, signal) ?? failedWith(127, `a twin of a switch of ${vendor} does not know the script`)
  );
}

/** The lines that Dell's software executes: an account, and the address of the management port. */
async function configure(machine: Machine, text: string): Promise<CommandAnswer> {
  const [, user] = /^ *execFtosCommand "username (\S+) password \S+"$/m.exec(text) ?? [];
  const [, address] = /^ *execFtosCommand "ip address (\S+)"$/m.exec(text) ?? [];
  if (user === undefined || address === undefined) return failedWith(2, 'Error saving configuration!');
  machine.state.bmc.vendor = { ...machine.state.bmc.vendor, switchUser: user, switchAddress: address };
  await machine.save({ kind: 'account', what: `set ${user} of the switch`, outcome: 'done', by: 'agent' });
  return commandAnswer('!!!!!Configuration Successfully Applied!!!!!\n');
}

/** Fetches the installer, and writes what it brings to the first drive; the next start of the switch has it. */
async function installSystem(machine: Machine, text: string, signal: AbortSignal): Promise<CommandAnswer> {
  const [, url = ''] = /^onie-nos-install (\S+)/m.exec(text) ?? [];
  const { status } = await machine.around.ask(machine, { method: 'GET', url }, signal);
  if (status !== 200) return failedWith(1, `Failure: Unable to download image: ${url}`);
  const [drive] = machine.state.drives;
  if (drive === undefined) return failedWith(1, 'Failure: the switch has no drive');
  const name = fileNameIn(url);
  drive.content = `${name} of ${machine.name}`;
  drive.system = { name, hostname: machine.name, since: machine.around.time.now(), callbacks: [] };
  await machine.save({ kind: 'install', what: `${drive.name} ${name}`, outcome: 'done', by: 'agent' });
  return commandAnswer(`ONIE: Executing installer: ${url}\n`);
}

/** The collector of the daemon, on any of them. */
export function switchJson({ facts }: Machine): string {
  const { product, switch: software } = facts.model;
  return JSON.stringify({
    vendor: software?.vendor,
    modelName: product,
    serialNumber: facts.serial,
    systemMacAddress: facts.macs[0],
    version: software?.version,
  });
}
