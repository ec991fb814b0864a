/** The output of racadm, Dell's tool, for the actions of `Task.Dell.Racadm`. A twin keeps no settings of it. */
import type { Machine } from '../machine/twin-machine.ts';
import { biosVersionOf } from './system-output.ts';

const DONE = '[Key=iDRAC.Embedded.1]\nObject value modified successfully\n';
const JOB = 'Commit JID = JID_000000000001\nReboot JID = RID_000000000001\n';

/** By the words that a command begins with. */
const answers: readonly [words: string, text: string][] = [
  ['set iDRAC.', DONE],
  [
    'set BIOS.',
    '[Key=BIOS.Setup.1-1]\nRAC1017: Successfully modified the object value and the change is in pending state.\n',
  ],
  ['jobqueue create', JOB],
  ['set -f', 'RAC977: Import configuration XML file operation initiated.\n'],
  ['get -f', 'RAC976: Export configuration XML file operation initiated.\n'],
  ['update', 'RAC1118: Firmware update operation initiated.\n'],
  ['systemerase', 'RAC1140: System erase operation initiated.\n'],
  ['setniccfg', 'Static IP configuration enabled and modified successfully\n'],
];

/** @returns undefined: it does not have the action */
export function racadmText(machine: Machine, args: readonly string[]): string | undefined {
  const words = args.join(' ');
  if (words === 'swinventory') return inventoryText(machine);
  if (words.startsWith('get -t xml')) return '';
  return answers.find(([begin]) => words.startsWith(begin))?.[1];
}

/** The file that `racadm get -t xml -f` writes. */
export const configurationXml = ({ facts }: Machine): string =>
  `<SystemConfiguration Model="${facts.model.product}" ServiceTag="${facts.serial}">\n</SystemConfiguration>\n`;

function inventoryText(machine: Machine): string {
  const { firmware, bmc } = machine.facts.model;
  const versions = machine.state.bmc.versions;
  const parts: [name: string, version: string][] = [
    ['BIOS', biosVersionOf(machine)],
    ['Integrated Dell Remote Access Controller', versions.BMC ?? bmc.firmware],
    ...firmware.map(({ id, name, version }): [string, string] => [name, versions[id] ?? version]),
  ];
  const rows = parts.map(
    ([name, version]) => `ComponentType = FIRMWARE\nElementName = ${name}\nCurrent Version = ${version}\n`,
  );
  return `${rows.join('\n')}\n`;
}
