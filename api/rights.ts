/**
 * Who may do what: the one table of rights. A route names its area; the area and the method say which privileges
 * open it. Any one of those listed is enough.
 */

export const privileges = [
  'Read',
  'Write',
  'Login',
  'ConfigureUsers',
  'ConfigureSelf',
  'ConfigureManager',
  'ConfigureComponents',
] as const;
export type Privilege = (typeof privileges)[number];

export const ADMINISTRATOR = 'Administrator';

/** The roles that are always there. */
const builtInRoles: ReadonlyMap<string, readonly Privilege[]> = new Map<string, readonly Privilege[]>([
  [ADMINISTRATOR, privileges],
  ['ReadOnly', ['Read', 'Login', 'ConfigureSelf']],
  ['Operator', ['Login', 'ConfigureComponents', 'ConfigureSelf']],
]);

/** @returns undefined for a role that is not there */
export const privilegesOf = (role: string): readonly Privilege[] | undefined => builtInRoles.get(role);

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
} as const satisfies Record<string, Rule>;

/** `open`: no token needed, whatever the endpoint says. */
export type Area = keyof typeof rules | 'open';

/** The privileges of which one is needed. */
export function needed(area: Exclude<Area, 'open'>, method: string): readonly Privilege[] {
  return method === 'GET' ? rules[area].read : rules[area].write;
}

export const holdsOne = (held: readonly Privilege[], wanted: readonly Privilege[]): boolean =>
  wanted.some((privilege) => held.includes(privilege));
