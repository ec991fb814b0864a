/** The rights that the tabs of the admin page need. */
import { isProviderUser } from '../../../engine/vocabulary/user-names.ts';
import { may, session } from './current-user.ts';

const isLocalUser = (): boolean => {
  const { username = null } = session.value ?? {};
  return username !== null && !isProviderUser(username);
};

const rights = {
  users: () => may('users', 'GET', null),
  roles: () => may('roles'),
  tokens: () => may('tokens') && (isLocalUser() || may('users')),
  audit: () => may('audit', 'GET', null),
  config: () => may('config', 'GET', null),
  daemons: () => may('monitoring'),
  bmcs: () => may('components', 'GET', null),
  account: () => true,
};

export type AdminTab = keyof typeof rights;

/** Whether the user may read the tab. */
export const mayOpenTab = (tab: AdminTab): boolean => rights[tab]();
