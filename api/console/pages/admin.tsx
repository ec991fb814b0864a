/** Users, their rights, and the daemon itself. Each part is shown to those who may read it. */
import { isProviderUser } from '../../../engine/vocabulary/user-names.ts';
import { may, session } from '../data/current-user.ts';
import { Heading } from '../parts/heading.tsx';
import { type Tab, Tabs } from '../parts/tabs.tsx';
import { AccountTab } from './admin/account.tsx';
import { AuditTab } from './admin/audit.tsx';
import { BmcsTab } from './admin/bmcs.tsx';
import { ConfigTab } from './admin/config.tsx';
import { DaemonsTab } from './admin/daemons.tsx';
import { RolesTab } from './admin/roles.tsx';
import { TokensTab } from './admin/tokens.tsx';
import { UsersTab } from './admin/users.tsx';
import '../styles/admin.css';

export function AdminPage() {
  const { username = null } = session.value ?? {};
  const isLocalUser = username !== null && !isProviderUser(username);
  const all: (Tab & { isShown: boolean })[] = [
    { name: 'users', title: 'Users', content: () => <UsersTab />, isShown: may('users', 'GET', null) },
    { name: 'roles', title: 'Roles', content: () => <RolesTab />, isShown: may('roles') },
    {
      name: 'tokens',
      title: 'Tokens',
      content: () => <TokensTab />,
      isShown: may('tokens') && (isLocalUser || may('users')),
    },
    { name: 'audit', title: 'Audit', content: () => <AuditTab />, isShown: may('audit', 'GET', null) },
    { name: 'config', title: 'Configuration', content: () => <ConfigTab />, isShown: may('config', 'GET', null) },
    { name: 'daemons', title: 'Daemons', content: () => <DaemonsTab />, isShown: may('monitoring') },
    { name: 'bmcs', title: 'BMCs', content: () => <BmcsTab />, isShown: may('components', 'GET', null) },
    { name: 'account', title: 'Account', content: () => <AccountTab />, isShown: true },
  ];
  return (
    <>
      <Heading>Admin</Heading>
      <Tabs label="Admin" tabs={all.filter(({ isShown }) => isShown)} />
    </>
  );
}
