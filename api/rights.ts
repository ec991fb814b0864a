/**
 * Who may do what: the one table of rights. A route names its area; the area and the method say which privileges
 * open it. Any one of those listed is enough.
 */
import type { Privilege } from '../engine/define/roles.ts';

interface Rule {
  read: readonly Privilege[];
  write: readonly Privilege[];
}

const rules = {
  general: { read: ['Read'], write: ['Write'] },
  // Nodes, catalogs, workflows, SKUs, obms: open to an Operator, whose main job they are.
  components: { read: ['Read', 'ConfigureComponents'], write: ['Write', 'ConfigureComponents'] },
  // The graph and task library is read only for an Operator: what is in it runs as the daemon.
  library: { read: ['Read', 'ConfigureComponents'], write: ['Write'] },
  users: { read: ['Read', 'ConfigureUsers'], write: ['ConfigureUsers'] },
  // Changing a user: the route itself checks that ConfigureSelf reaches no further than one's own password.
  ownUser: { read: ['Read', 'ConfigureUsers'], write: ['ConfigureUsers', 'ConfigureSelf'] },
  roles: { read: ['Read'], write: ['ConfigureManager'] },
  config: { read: ['Read'], write: ['ConfigureManager'] },
  // Redfish sessions: whoever may log in. Their routes see to whose they are.
  sessions: { read: ['Login'], write: ['Login'] },
} as const satisfies Record<string, Rule>;

/** `open`: no token needed, whatever the endpoint says. */
export type Area = keyof typeof rules | 'open';

/** The privileges of which one is needed. */
export function needed(area: Exclude<Area, 'open'>, method: string): readonly Privilege[] {
  return method === 'GET' ? rules[area].read : rules[area].write;
}

/** Nobody gives rights that they do not have themselves, nor touches who has more. */
export const holdsAll = (held: readonly Privilege[], wanted: readonly Privilege[]): boolean =>
  wanted.every((privilege) => held.includes(privilege));

export const holdsOne = (held: readonly Privilege[], wanted: readonly Privilege[]): boolean =>
  wanted.some((privilege) => held.includes(privilege));
