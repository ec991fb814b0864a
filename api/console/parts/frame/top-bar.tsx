/** The top bar: the place of the page, the search, whether it is live and why not, and the user. */
import logOutIcon from 'lucide-static/icons/log-out.svg';
import menuIcon from 'lucide-static/icons/menu.svg';
import searchIcon from 'lucide-static/icons/search.svg';
import { logOut, session } from '../../data/current-user.ts';
import { connection } from '../../data/live.ts';
import { isUtc, switchZone } from '../../data/shown-times.ts';
import { navigation, navigationEntryOf, pageAddress } from '../../navigation.ts';
import { shownTitle } from '../heading.tsx';
import { Icon } from '../icon.tsx';
import { StatePill } from '../state-pill.tsx';
import { isPaletteOpen } from './shortcuts.ts';
import { isMenuOpen } from './side-bar.tsx';

export function TopBar({ path }: { path: string }) {
  return (
    <header class="top">
      <button
        type="button"
        class="menu"
        aria-expanded={isMenuOpen.value}
        aria-label="Pages"
        onClick={() => {
          isMenuOpen.value = !isMenuOpen.value;
        }}
      >
        <Icon of={menuIcon} />
      </button>
      <Breadcrumbs path={path} />
      <button
        type="button"
        class="find"
        title="Search nodes, workflows, graphs and pages (Ctrl K)"
        onClick={() => {
          isPaletteOpen.value = true;
        }}
      >
        <Icon of={searchIcon} /> <span class="word">Search</span> <kbd>Ctrl K</kbd>
      </button>
      <Connection />
      <Zone />
      <User />
    </header>
  );
}

/** Operate › Nodes › r01s03 */
function Breadcrumbs({ path }: { path: string }) {
  const entry = navigationEntryOf(path);
  if (entry === undefined) return <span class="place" />;
  const group = navigation.find(({ entries }) => entries.includes(entry));
  const heading = shownTitle.value;
  const isRecord = path.replace(/\/$/, '') !== pageAddress(entry.path);
  return (
    <nav class="place" aria-label="Place">
      <ol>
        {group !== undefined && group.title !== entry.title && <li class="quiet">{group.title}</li>}
        <li>{isRecord ? <a href={pageAddress(entry.path)}>{entry.title}</a> : entry.title}</li>
        {isRecord && heading.path === path && <li title={heading.text}>{heading.text}</li>}
      </ol>
    </nav>
  );
}

const reasons = {
  connecting: 'Connecting to the events of the daemon',
  live: 'Every event is shown immediately',
  polling: 'The page is refreshed every few seconds, because your role may not follow events',
  away: 'The daemon does not answer; the page shows its last state',
} as const;

function Connection() {
  const state = connection.value;
  return (
    <span class={`connection ${state}`} title={reasons[state]}>
      <StatePill of={state} />
    </span>
  );
}

function Zone() {
  const [zoneName, other] = isUtc.value ? ['UTC', 'in your zone'] : ['local', 'in UTC'];
  return (
    <button type="button" class="plain" aria-pressed={isUtc.value} title={`Show times ${other}`} onClick={switchZone}>
      {zoneName} time
    </button>
  );
}

function User() {
  const { username } = session.value ?? {};
  if (username === undefined || username === null) return null;
  return (
    <span class="user">
      <span class="word">{username}</span>
      <button type="button" class="plain" title={`Log ${username} out`} onClick={() => void logOut()}>
        <Icon of={logOutIcon} /> <span class="word">Log out</span>
      </button>
    </span>
  );
}
