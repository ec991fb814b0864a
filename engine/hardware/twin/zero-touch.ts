/** Zero-touch provisioning of a switch: its request for a program, with the MAC as its software sends it, and the program that it gets. */
import { traitsOfSwitch } from '../../vocabulary/switch-vendors.ts';
import { SWITCH_TASKS } from './installing/boot-kind.ts';
import type { KernelImage } from './machine/machine-state.ts';
import type { Machine } from './machine/twin-machine.ts';

export function zeroTouchRequest({ facts }: Machine): { url: string; headers: Record<string, string> } {
  const vendor = facts.model.switch?.vendor ?? 'onie';
  const header = traitsOfSwitch(vendor).macHeader;
  const [mac = ''] = facts.macs;
  // A site gives the URL to the others by DHCP, for each with its MAC.
  const query = header === undefined ? `?mac=${mac}` : '';
  return {
    url: `/api/current/profiles/switch/${vendor}${query}`,
    headers: header === undefined ? {} : { [header]: mac },
  };
}

/** @returns `again`: it is no program that a twin runs */
export function programIn(text: string): KernelImage | 'again' {
  const [, api, node] = /^url='(\S+)\/tasks\/bootstrap\.sh\?nodeId=([\w-]+)'$/m.exec(text) ?? [];
  const [, key = ''] = /^key='([\w.-]*)'$/m.exec(text) ?? [];
  if (api !== undefined) {
    return {
      kernel: 'zero-touch',
      cmdline: `nodewright.api=${api} nodewright.node=${node}${key === '' ? '' : ` nodewright.key=${key}`}`,
    };
  }
  const [, tasks] = /^TASKS_URI *= *['"](https?:[^'"\s]+)['"]/m.exec(text) ?? [];
  return tasks === undefined ? 'again' : { kernel: 'zero-touch', cmdline: `${SWITCH_TASKS}=${tasks}` };
}
