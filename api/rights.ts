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
  // Changing a user: ConfigureSelf reaches as far as `ownPassword` says.
  ownUser: { read: ['Read', 'ConfigureUsers'], write: ['ConfigureUsers', 'ConfigureSelf'] },
  roles: { read: ['Read'], write: ['ConfigureManager'] },
  config: { read: ['Read'], write: ['ConfigureManager'] },
  // Redfish sessions: whoever may log in, as far as `ownSessions` says.
  sessions: { read: ['Login'], write: ['Login'] },
} as const satisfies Record<string, Rule>;

/** `open`: no token needed, whatever the endpoint says. */
export type Area = keyof typeof rules | 'open';

/** The privileges of which one is needed. */
export function needed(area: Exclude<Area, 'open'>, method: string): readonly Privilege[] {
  return method === 'GET' ? rules[area].read : rules[area].write;
}

/** What the role of whoever comes with a password has to have. */
export const entry: readonly Privilege[] = ['Login'];

/** Where a route is open to some in part only. Its handler holds it against who asks. */
export interface Reach {
  /** With one of these, all of it. */
  whole: readonly Privilege[];
  /** Without: what is left. */
  part: string;
}

export const ownPassword: Reach = { whole: ['ConfigureUsers'], part: "one's own password" };
export const ownSessions: Reach = { whole: ['ConfigureManager'], part: "one's own sessions" };

export const reachesWhole = (held: readonly Privilege[], { whole }: Reach): boolean => holdsOne(held, whole);

/** Nobody gives rights that they do not have themselves, nor touches who has more. */
export const holdsAll = (held: readonly Privilege[], wanted: readonly Privilege[]): boolean =>
  wanted.every((privilege) => held.includes(privilege));

export const holdsOne = (held: readonly Privilege[], wanted: readonly Privilege[]): boolean =>
  wanted.some((privilege) => held.includes(privilege));

/** Whether the user may start workflows. @param held undefined: the endpoint asks for no token */
export const mayLaunch = (held: readonly Privilege[] | undefined): boolean =>
  held === undefined || holdsOne(held, needed('components', 'POST'));
