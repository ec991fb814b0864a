/** The left bar: pages in groups, each with its icon and the key that follows `g`. */

import certificatesIcon from 'lucide-static/icons/badge-check.svg';
import simulatorIcon from 'lucide-static/icons/flask-conical.svg';
import graphsIcon from 'lucide-static/icons/git-fork.svg';
import rolloutsIcon from 'lucide-static/icons/layers.svg';
import overviewIcon from 'lucide-static/icons/layout-dashboard.svg';
import failuresIcon from 'lucide-static/icons/octagon-alert.svg';
import eventsIcon from 'lucide-static/icons/radio.svg';
import baselinesIcon from 'lucide-static/icons/ruler.svg';
import nodesIcon from 'lucide-static/icons/server.svg';
import adminIcon from 'lucide-static/icons/settings.svg';
import skusIcon from 'lucide-static/icons/tags.svg';
import hooksIcon from 'lucide-static/icons/webhook.svg';
import workflowsIcon from 'lucide-static/icons/workflow.svg';
import { type AdminTab, mayOpenTab } from './data/admin-tabs.ts';
import type { PagePath } from './page-paths.ts';
import type { IconShapes } from './parts/icon.tsx';

export interface NavigationEntry {
  title: string;
  path: PagePath;
  icon: IconShapes;
  /** One letter. */
  key: string;
}

const entry = (title: string, path: PagePath, icon: IconShapes, key: string): NavigationEntry => ({
  title,
  path,
  icon,
  key,
});

export const navigation: readonly { title: string; entries: readonly NavigationEntry[] }[] = [
  {
    title: 'Operate',
    entries: [
      entry('Overview', '/', overviewIcon, 'o'),
      entry('Nodes', '/nodes', nodesIcon, 'n'),
      entry('Workflows', '/workflows', workflowsIcon, 'w'),
      entry('Rollouts', '/rollouts', rolloutsIcon, 'r'),
      entry('Baselines', '/baselines', baselinesIcon, 'b'),
      entry('Failures', '/failures', failuresIcon, 'f'),
      entry('Certificates', '/certificates', certificatesIcon, 'c'),
    ],
  },
  {
    title: 'Build',
    entries: [
      entry('Graphs', '/graphs', graphsIcon, 'g'),
      entry('Simulator', '/simulator', simulatorIcon, 's'),
      entry('SKUs', '/skus', skusIcon, 'k'),
    ],
  },
  {
    title: 'Connect',
    entries: [entry('Hooks', '/hooks', hooksIcon, 'h'), entry('Events', '/events', eventsIcon, 'e')],
  },
  { title: 'Admin', entries: [entry('Admin', '/admin', adminIcon, 'a')] },
];

export const navigationEntries = navigation.flatMap(({ entries }) => entries);

interface TabEntry {
  title: string;
  path: PagePath;
  /** Its name in the address of the page. */
  tab: string;
}

const adminTab = (title: string, tab: AdminTab) => ({ title, path: '/admin', tab }) as const;
const rolloutsTab = (title: string, tab: string) => ({ title, path: '/rollouts', tab }) as const;

const adminTabs = [
  adminTab('Users', 'users'),
  adminTab('Roles', 'roles'),
  adminTab('Tokens', 'tokens'),
  adminTab('Audit', 'audit'),
  adminTab('Configuration', 'config'),
  adminTab('Daemons', 'daemons'),
  adminTab('BMCs', 'bmcs'),
  adminTab('Account', 'account'),
];

const rolloutsTabs = [
  rolloutsTab('Rehearsals', 'rehearsals'),
  rolloutsTab('Batches', 'batches'),
  rolloutsTab('Tickets', 'tickets'),
  rolloutsTab('Schedules', 'schedules'),
  rolloutsTab('Calendar', 'calendar'),
  rolloutsTab('Rules', 'rules'),
  rolloutsTab('Windows', 'windows'),
];

/** Tabs that people look for as pages, and may read. */
export const tabEntries = (): readonly TabEntry[] => [
  ...adminTabs.filter(({ tab }) => mayOpenTab(tab)),
  ...rolloutsTabs,
];

export const pageAddress = (path: string): string => (path === '/' ? '/ui' : `/ui${path}`);

/** The entry that the page belongs to; batches and rehearsals belong to the rollouts, whose page lists them. @param path of the address */
export function navigationEntryOf(path: string): NavigationEntry | undefined {
  const address = path.replace(/^\/ui\/(?:batches|rehearsals)\b/, '/ui/rollouts').replace(/\/$/, '');
  return navigationEntries.find(({ path: entryPath }) => {
    const entryAddress = pageAddress(entryPath);
    return address === entryAddress || (entryPath !== '/' && address.startsWith(`${entryAddress}/`));
  });
}
