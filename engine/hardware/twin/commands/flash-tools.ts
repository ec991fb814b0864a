/** Tools that read and write the flash of the BIOS and of the BMC, from AMI, ASPEED and Intel. They need the file of the image. */
import { nextVersion } from '../machine/bmc-firmware.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { fileNameIn } from './boot-files.ts';
import { type CommandAnswer, type CommandRun, commandAnswer, failedWith } from './command-run.ts';
import { biosVersionOf } from './system-output.ts';

const missingFile = (path: string): CommandAnswer => failedWith(1, `Error: cannot open the file ${path}`);

/** AMI's `afulnx_64`: `/S` shows the ROM, `FILE /O` saves it, `FILE /P ...` writes it; the next boot has it. */
export async function afulnx([first = '', ...flags]: readonly string[], run: CommandRun) {
  const { machine, files } = run;
  if (first === '/S') return commandAnswer(romText(machine));
  if (flags.includes('/O')) return saveFile(run, first, romText(machine));
  if (!flags.includes('/P')) return undefined;
  if (files.at(first) === undefined) return missingFile(first);
  machine.state.bmc.stagedBios = nextVersion(fileNameIn(first), biosVersionOf(machine));
  return noteUpdate(machine, `BIOS from ${fileNameIn(first)}`);
}

function romText(machine: Machine): string {
  const { uuid } = machine.facts;
  const id = biosVersionOf(machine).replace(/[^\w.-]/g, '_');
  return `Reading flash ............... done\n- System ROM ID = ${id}\n- System ROM GUID = ${uuid}\n- System ROM Secure Flash = Disable.\n`;
}

/** AMI's `SCELNX_64`: `/o /s FILE` saves the settings, `/i /s FILE` sets them. */
export async function scelnx(args: readonly string[], run: CommandRun) {
  const path = args[args.indexOf('/s') + 1] ?? '';
  const { machine, files } = run;
  const { bios, pendingBios } = machine.state.bmc;
  if (args[0] === '/o') {
    const usual = machine.facts.model.bios.attributes.map(({ name, value }) => [name, value] as const);
    return saveFile(run, path, lines({ ...Object.fromEntries(usual), ...bios, ...pendingBios }));
  }
  if (args[0] !== '/i') return undefined;
  const text = files.at(path)?.text;
  if (text === undefined) return missingFile(path);
  for (const [, name = '', value = ''] of text.matchAll(/^(\w+)=(.*)$/gm)) {
    if (machine.facts.model.bios.attributes.some((each) => each.name === name)) pendingBios[name] = value;
  }
  return noteUpdate(machine, `settings from ${fileNameIn(path)}`);
}

const lines = (values: Record<string, unknown>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

/** ASPEED's `socflash_x64`: `-b FILE` saves the flash of the BMC, `if=FILE` writes it. */
export async function socflash(args: readonly string[], run: CommandRun) {
  const { machine, files } = run;
  const before = machine.state.bmc.versions.BMC ?? '';
  const [option, path = ''] = args;
  if (option === '-b') return saveFile(run, path, `flash of the BMC ${before}\n`);
  const image = args.find((arg) => arg.startsWith('if='))?.slice(3);
  if (image === undefined) return undefined;
  if (files.at(image) === undefined) return missingFile(image);
  machine.state.bmc.versions.BMC = nextVersion(fileNameIn(image), before);
  return noteUpdate(machine, `BMC from ${fileNameIn(image)}`);
}

/** Intel's `flashupdt -i` shows the versions. */
export function flashupdt([option]: readonly string[], { machine }: CommandRun): CommandAnswer | undefined {
  if (option !== '-i') return undefined;
  const { model, serial } = machine.facts;
  const title = (text: string) => `${text}\n${'-'.repeat(text.length)}\n`;
  return commandAnswer(
    [
      '\n\tOne Boot Flash Update Utility Version 14.1 Build 22\n\nSystem BIOS and FW Versions\n\n',
      `${title('BIOS Version Information:')}   BIOS Version:...... ${biosVersionOf(machine)}\n\n`,
      `${title('BMC Firmware Version:')}   Op Code:........... ${machine.state.bmc.versions.BMC}\n\n`,
      `ME Firmware Version:.. 04.04.04.053\n\n`,
      `${title('System Information:')}   Manufacturer Name:. ${model.manufacturer}\n`,
      `   Product Name:...... ${model.product}\n   Serial Number:..... ${serial}\n\nSuccessfully Completed\n`,
    ].join(''),
  );
}

async function saveFile({ machine, files }: CommandRun, path: string, text: string): Promise<CommandAnswer> {
  files.put(path, text);
  await machine.save({ kind: 'file', what: fileNameIn(path), outcome: 'done', by: 'agent' });
  return commandAnswer('done\n');
}

async function noteUpdate(machine: Machine, what: string): Promise<CommandAnswer> {
  await machine.save({ kind: 'update', what, outcome: 'done', by: 'agent' });
  return commandAnswer('Program ended normally.\n');
}
