/** Programs of vendors that a twin has, by the name of their file: they are installed in folders of their own. */
import { fileNameIn } from './boot-files.ts';
import { commandAnswer, type Program } from './command-run.ts';
import { afulnx, flashupdt, scelnx, socflash } from './flash-tools.ts';
import { storcli } from './storcli.ts';

const tools: Readonly<Record<string, Program>> = {
  afulnx_64: afulnx,
  flashupdt,
  // Sets properties that the twin does not have.
  MegaCli64: ([action]) => (action === '-AdpSetProp' ? commandAnswer('Exit Code: 0x00\n') : undefined),
  perccli64: storcli,
  SCELNX_64: scelnx,
  socflash_x64: socflash,
  storcli64: storcli,
};

/** @param program its name or path */
export function vendorTool(program: string): Program | undefined {
  const name = fileNameIn(program);
  return Object.hasOwn(tools, name) ? tools[name] : undefined;
}
