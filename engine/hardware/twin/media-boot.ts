/**
 * The boot of a machine from the CD of its BMC: reads the settings of the node out of the image, as the microkernel does (`init` in
 * `fixtures/microkernel/`). The BMC fetches each part of the image when the machine reads it.
 */
import { AREA_LINE, nodeAreaIn, textInArea } from '../../platform/lib/node-area.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import type { KernelImage } from './machine/machine-state.ts';
import type { Machine } from './machine/twin-machine.ts';

/** Bytes; the settings have some hundred. */
const SETTINGS_LIMIT = 4_096;

/** @returns undefined if the drive is empty, or its image is no microkernel or cannot be read @throws the reason of the signal */
export async function imageOnMedia(machine: Machine, signal: AbortSignal): Promise<KernelImage | undefined> {
  const url = machine.state.bmc.media.Cd;
  if (url === undefined || !/^https?:/i.test(url)) return undefined;
  const read = async (start: number, end: number): Promise<string> => {
    const headers = { range: `bytes=${start}-${end}` };
    const asking = { method: 'GET', url, headers, isOfBmc: true } as const;
    const { status, text } = await machine.around.ask(machine, asking, signal);
    if (status !== 206) throw new Error(`the BMC reads no part of the image of its CD: HTTP ${status}`);
    return text;
  };
  try {
    const area = nodeAreaIn(await read(AREA_LINE.start, AREA_LINE.end));
    const settings = area && textInArea(await read(area.start, Math.min(area.end, area.start + SETTINGS_LIMIT) - 1));
    return settings === undefined ? undefined : { kernel: 'microkernel.iso', cmdline: wordsOf(settings) };
  } catch (error) {
    signal.throwIfAborted();
    machine.around.tell(machine, messageOf(error));
    return undefined;
  }
}

/** Returns the settings as a network boot has them, on the command line of the kernel. */
const wordsOf = (settings: string): string =>
  settings
    .split('\n')
    .filter((line) => /^(api|node|key)=/.test(line))
    .map((line) => `nodewright.${line}`)
    .join(' ');
