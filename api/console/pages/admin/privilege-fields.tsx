/** A check box for each privilege. */
import type { Signal } from '@preact/signals';
import type { GetAnswer } from '../../../client/requests.ts';

export type PrivilegeName = GetAnswer<'/roles'>[number]['privileges'][number];

const meanings: Record<PrivilegeName, string> = {
  Read: 'read everything but the audit log',
  Write: 'change everything but users, roles and the configuration',
  Login: 'log in with a password',
  ConfigureUsers: 'users and their tokens; the audit log',
  ConfigureSelf: 'the own password',
  ConfigureManager: 'roles, the configuration; the audit log',
  ConfigureComponents: 'nodes, workflows, SKUs: the work of an operator',
  ConsoleInput: 'type at the consoles of machines',
};

export const privilegeNames = Object.keys(meanings) as PrivilegeName[];

interface PrivilegeFieldsProps {
  chosen: Signal<readonly PrivilegeName[]>;
  /** Those that can be given. */
  offered?: readonly PrivilegeName[];
}

export function PrivilegeFields({ chosen, offered = privilegeNames }: PrivilegeFieldsProps) {
  const turn = (name: PrivilegeName) => {
    const { value } = chosen;
    chosen.value = value.includes(name) ? value.filter((one) => one !== name) : [...value, name];
  };
  return (
    <fieldset>
      <legend>Privileges</legend>
      {offered.map((name) => (
        <label key={name} class="check">
          <input type="checkbox" checked={chosen.value.includes(name)} onChange={() => turn(name)} /> {name}{' '}
          <span class="quiet">{meanings[name]}</span>
        </label>
      ))}
    </fieldset>
  );
}
