/** Which program a machine has booted over the network, by the words of its command line. */
import { kernelWord } from '../commands/kernel-words.ts';
import type { KernelImage } from '../machine/machine-state.ts';

export type BootKind = 'agent' | 'rackhd-agent' | 'switch-runner' | 'installer' | 'unknown';

/** Words by which installers find their answers; those without `inst.` are of older versions. */
const ANSWER_WORDS = ['inst.ks', 'ks', 'cloud-config-url', 'preseed/url', 'url', 'autoyast'];
/** Those of RackHD's microkernel, and of RancherOS as RackHD boots it. */
const RACKHD_WORDS = /(?:^|\s)(?:API_CB=|rancher\.cloud_init\.datasources=)/;
const BOOT_CONFIG = /(?:^|\s)-c\s+(https?:\S+)/;

/** @returns the URL of the answer file, or of the boot.cfg that names it; '' without one */
export function answersUrl({ cmdline }: KernelImage): string {
  const config = BOOT_CONFIG.exec(cmdline)?.[1];
  const named = ANSWER_WORDS.map((word) => kernelWord(cmdline, word)).find((value) => /^https?:/.test(value));
  return config ?? named ?? '';
}

/** The word with the URL from which a program of RackHD for switches gets its commands. */
export const SWITCH_TASKS = 'switch.tasks';

/** Whether it is Windows PE, whose scripts know their URLs without a command line. */
export const isWindowsPe = ({ kernel }: KernelImage): boolean => /\/wimboot$/.test(kernel);

export function bootKindOf(image: KernelImage): BootKind {
  if (kernelWord(image.cmdline, 'nodewright.api') !== '') return 'agent';
  if (kernelWord(image.cmdline, SWITCH_TASKS) !== '') return 'switch-runner';
  if (RACKHD_WORDS.test(image.cmdline)) return 'rackhd-agent';
  return answersUrl(image) !== '' || isWindowsPe(image) ? 'installer' : 'unknown';
}
