/** The vocabulary of rights: privileges and built-in roles. */

/** Those that the interface document lists. */
const builtInPrivileges = [
  'Read',
  'Write',
  'Login',
  'ConfigureUsers',
  'ConfigureSelf',
  'ConfigureManager',
  'ConfigureComponents',
] as const;

/** Those that may be granted. An Administrator has all of them, also those that are no part of its role's record. */
export const privileges = [...builtInPrivileges, 'ConsoleInput'] as const;
export type Privilege = (typeof privileges)[number];

export const ADMINISTRATOR = 'Administrator';

export const builtInRoles: ReadonlyMap<string, readonly Privilege[]> = new Map<string, readonly Privilege[]>([
  [ADMINISTRATOR, builtInPrivileges],
  ['ReadOnly', ['Read', 'Login', 'ConfigureSelf']],
  ['Operator', ['Login', 'ConfigureComponents', 'ConfigureSelf']],
]);
