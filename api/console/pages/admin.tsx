/** Users, their rights, and the daemon itself. Each part is shown to those who may read it. */
import { type AdminTab, mayOpenTab } from '../data/admin-tabs.ts';
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

const adminTabs: readonly (Tab & { name: AdminTab })[] = [
  { name: 'users', title: 'Users', content: () => <UsersTab /> },
  { name: 'roles', title: 'Roles', content: () => <RolesTab /> },
  { name: 'tokens', title: 'Tokens', content: () => <TokensTab /> },
  { name: 'audit', title: 'Audit', content: () => <AuditTab /> },
  { name: 'config', title: 'Configuration', content: () => <ConfigTab /> },
  { name: 'daemons', title: 'Daemons', content: () => <DaemonsTab /> },
  { name: 'bmcs', title: 'BMCs', content: () => <BmcsTab /> },
  { name: 'account', title: 'Account', content: () => <AccountTab /> },
];

export function AdminPage() {
  return (
    <>
      <Heading>Admin</Heading>
      <Tabs label="Admin" tabs={adminTabs.filter(({ name }) => mayOpenTab(name))} />
    </>
  );
}
