/** Conditions of graphs that RackHD ships, for `npm run stock -- --rackhd CHECKOUT`. */
import type { Condition } from './conditions.ts';

export const rackhdConditions: Readonly<Record<string, Condition>> = {
  'Graph.ShellCommands': {
    reason: 'a command',
    options: () => ({ 'shell-commands': { commands: [{ command: 'sudo dmidecode', format: 'raw', source: 'dmi' }] } }),
  },
};
