/** The chassis of a machine as the control program of an `ipmi_sim` asks for it and changes it. */
import type { Machine, PowerChange } from './machine/twin-machine.ts';

/** Boot devices of the simulator, by those of the machine's state. */
const devices: readonly (readonly [target: string, device: string])[] = [
  ['None', 'none'],
  ['Pxe', 'pxe'],
  ['Hdd', 'default'],
  ['Cd', 'cdrom'],
  ['BiosSetup', 'bios'],
];

/**
 * @param words `get` and names, or `set`, a name and its values @returns the lines that the simulator reads
 * @throws Error for words that it does not have
 */
export async function answerChassis(machine: Machine, words: readonly string[]): Promise<string> {
  // The two values of identify are one word.
  const [operation, ...rest] = words.flatMap((word) => word.split(' '));
  if (operation === 'get') return rest.map((name) => `${name}:${shownValue(machine, name)}\n`).join('');
  if (operation !== 'set') throw new Error(`found ${operation}; expected get or set`);
  const [name = '', ...values] = rest;
  await change(machine, name, values);
  return '';
}

function shownValue({ state }: Machine, name: string): string {
  if (name === 'power') return ['On', 'PoweringOff'].includes(state.power.is) ? '1' : '0';
  if (name === 'boot') return devices.find(([target]) => target === state.bmc.override.target)?.[1] ?? 'none';
  throw new Error(`found ${name}; expected power or boot`);
}

async function change(machine: Machine, name: string, [value = '', force = '']: string[]): Promise<void> {
  const { bmc } = machine.state;
  const by = bmc.accounts[0]?.user ?? '';
  const power = (how: PowerChange, what: string) => machine.changePower(how, what, by);
  if (name === 'power') await (value === '0' ? power('off', 'power off') : power('on', 'power on'));
  else if (name === 'reset') await power('restart', 'power reset');
  else if (name === 'shutdown') await power('soft', 'power soft');
  else if (name === 'boot') await changeBoot(machine, value);
  else if (name === 'identify') {
    // Seconds, and whether it is without an end.
    bmc.light = value === '0' && force !== '1' ? 'Off' : 'Blinking';
    await machine.save();
  } else throw new Error(`found ${name}; expected power, reset, shutdown, boot or identify`);
}

async function changeBoot(machine: Machine, device: string): Promise<void> {
  const target = devices.find(([, name]) => name === device)?.[0];
  if (target === undefined) throw new Error(`found ${device}; expected ${devices.map(([, name]) => name).join(', ')}`);
  const { override } = machine.state.bmc;
  machine.state.bmc.override = { ...override, target, enabled: target === 'None' ? 'Disabled' : 'Once' };
  await machine.save();
}
