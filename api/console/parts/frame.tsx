/** Around each page: the navigation, the user, and the banner while the daemon is away. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { logOut, session } from '../data/current-user.ts';
import { connection } from '../data/live.ts';
import { isUtc, switchZone } from '../data/shown-times.ts';
import { pageList } from '../page-list.ts';
import { useCurrentInView } from './current-in-view.ts';

/** The next page is being loaded; the one before is still shown. */
export const isPageLoading = signal(false);

export function Frame({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  const row = useCurrentInView<HTMLElement>(path);
  const isAway = connection.value === 'away';
  return (
    <div class={isAway ? 'frame stale' : 'frame'}>
      <a class="skip" href="#page">
        Skip to the page
      </a>
      <header>
        <a class="home" href="/ui">
          nodewright
        </a>
        <nav aria-label="Pages" ref={row}>
          {pageList.map(
            ({ path: pagePath, title }) =>
              title !== undefined && (
                <a
                  key={pagePath}
                  href={addressOf(pagePath)}
                  aria-current={isWithin(path, pagePath) ? 'page' : undefined}
                >
                  {title}
                </a>
              ),
          )}
        </nav>
        <Connection />
        <Zone />
        <User />
      </header>
      {isAway && (
        <p class="banner" role="status">
          The daemon does not answer. The page shows its last state, and continues by itself.
        </p>
      )}
      <main id="page" tabIndex={-1} aria-busy={isPageLoading.value}>
        {children}
      </main>
    </div>
  );
}

const addressOf = (pagePath: string): string => (pagePath === '/' ? '/ui' : `/ui${pagePath}`);

function isWithin(path: string, pagePath: string): boolean {
  const address = addressOf(pagePath);
  return path === address || path === `${address}/` || (pagePath !== '/' && path.startsWith(`${address}/`));
}

const meanings = {
  connecting: 'Connecting to the events of the daemon',
  live: 'Every event is shown immediately',
  polling: 'Read again every few seconds: your role may not follow events',
  away: 'The daemon does not answer',
} as const;

function Connection() {
  const state = connection.value;
  return (
    <span class={`connection ${state}`} title={meanings[state]}>
      {state}
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
      <span>{username} </span>
      <button type="button" title={`Log ${username} out`} onClick={() => void logOut()}>
        Log out
      </button>
    </span>
  );
}
