/**
 * The table of access rights. A route names its area; the area and the method determine the required privileges. Any
 * one of those listed is sufficient.
 */
import type { Privilege } from '../../engine/vocabulary/roles.ts';

interface Rule {
  read: readonly Privilege[];
  write: readonly Privilege[];
}

const rules = {
  general: { read: ['Read'], write: ['Write'] },
  // Nodes, catalogs, workflows, SKUs, obms: the main work of an Operator.
  components: { read: ['Read', 'ConfigureComponents'], write: ['Write', 'ConfigureComponents'] },
  // Input at the console of a machine, whose operating system asks for no right of the daemon.
  consoleInput: { read: [], write: ['ConsoleInput'] },
  // Requests, approvals and withdrawals of tickets; Login is limited by `ownTickets`.
  tickets: { read: ['Read', 'ConfigureComponents', 'ConfigureManager'], write: ['ConfigureManager', 'Login'] },
  // Read-only for an Operator: when changes of many nodes may begin, and do.
  fleet: { read: ['Read', 'ConfigureComponents'], write: ['Write', 'ConfigureManager'] },
  // Read-only for an Operator: events, and the hooks that they are sent to.
  monitoring: { read: ['Read', 'ConfigureComponents'], write: ['Write'] },
  // Read-only for an Operator: graphs and tasks run with the rights of the daemon.
  library: { read: ['Read', 'ConfigureComponents'], write: ['Write'] },
  users: { read: ['Read', 'ConfigureUsers'], write: ['ConfigureUsers'] },
  // Changing a user; ConfigureSelf is limited by `ownPassword`.
  ownUser: { read: ['Read', 'ConfigureUsers'], write: ['ConfigureUsers', 'ConfigureSelf'] },
  // The owners of nodes; members read their own.
  teams: { read: ['Read', 'ConfigureComponents', 'ConfigureUsers'], write: ['ConfigureUsers'] },
  roles: { read: ['Login'], write: ['ConfigureManager'] },
  config: { read: ['Read'], write: ['ConfigureManager'] },
  // API tokens; Login is limited by `ownTokens`.
  tokens: { read: ['ConfigureUsers', 'Login'], write: ['ConfigureUsers', 'Login'] },
  // One's own login.
  login: { read: ['Login'], write: ['Login'] },
  // The interface document: every user that may log in.
  document: { read: ['Login'], write: [] },
  // An archive with everything about a problem.
  support: { read: ['ConfigureManager'], write: [] },
  audit: { read: ['ConfigureUsers', 'ConfigureManager'], write: [] },
  // Redfish sessions: every user that may log in, limited by `ownSessions`.
  sessions: { read: ['Login'], write: ['Login'] },
} as const satisfies Record<string, Rule>;

/** `open`: no token required on any endpoint. */
export type ResourceGroup = keyof typeof rules | 'open';

/** The matters of the user alone: there a privilege by a binding to a team counts too. */
export const personalAreas: ReadonlySet<ResourceGroup> = new Set([
  'ownUser',
  'tokens',
  'login',
  'document',
  'sessions',
]);

/** Those that count in these areas: with them one reaches nothing of others. */
export const personalPrivileges: readonly Privilege[] = ['Login', 'ConfigureSelf'];

/** Returns the privileges of which any one is required. */
export function neededPrivileges(resourceGroup: Exclude<ResourceGroup, 'open'>, method: string): readonly Privilege[] {
  return method === 'GET' ? rules[resourceGroup].read : rules[resourceGroup].write;
}

/** The privilege required of a role to log in with a password. */
export const entry: readonly Privilege[] = ['Login'];

/** The scope of a route that some users may use only in part. Its handler checks the scope. */
export interface PrivilegeScope {
  /** Any one of these grants the whole route. */
  whole: readonly Privilege[];
  /** The part that remains without them. */
  part: string;
}

export const ownPassword: PrivilegeScope = { whole: ['ConfigureUsers'], part: "one's own password" };
export const ownTokens: PrivilegeScope = { whole: ['ConfigureUsers'], part: "one's own tokens" };
export const ownTickets: PrivilegeScope = {
  whole: ['ConfigureManager'],
  part: "one's own tickets, and those that one's role may approve",
};
export const ownSessions: PrivilegeScope = { whole: ['ConfigureManager'], part: "one's own sessions" };

export const coversWhole = (held: readonly Privilege[], { whole }: PrivilegeScope): boolean => holdsOne(held, whole);

/** Users cannot grant privileges that they lack, nor change users who have more. */
export const lackingPrivileges = (held: readonly Privilege[], wanted: readonly Privilege[]): Privilege[] =>
  wanted.filter((privilege) => !held.includes(privilege));

export const holdsOne = (held: readonly Privilege[], wanted: readonly Privilege[]): boolean =>
  wanted.some((privilege) => held.includes(privilege));

/** Returns true if the user may start workflows. @param held undefined: the endpoint requires no token */
export const mayLaunch = (held: readonly Privilege[] | undefined): boolean =>
  held === undefined || holdsOne(held, neededPrivileges('components', 'POST'));
