/** The vocabulary of rights: privileges and built-in roles. */

export const privileges = [
  'Read',
  'Write',
  'Login',
  'ConfigureUsers',
  'ConfigureSelf',
  'ConfigureManager',
  'ConfigureComponents',
  'ConsoleInput',
] as const;
export type Privilege = (typeof privileges)[number];

export const ADMINISTRATOR = 'Administrator';

export const builtInRoles: ReadonlyMap<string, readonly Privilege[]> = new Map<string, readonly Privilege[]>([
  [ADMINISTRATOR, privileges],
  ['ReadOnly', ['Read', 'Login', 'ConfigureSelf']],
  ['Operator', ['Login', 'ConfigureComponents', 'ConfigureSelf']],
]);
