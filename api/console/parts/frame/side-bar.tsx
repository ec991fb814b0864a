/** The left bar: pages in groups. It folds to icons; in a narrow window it opens above the page. */
import { signal } from '@preact/signals';
import foldIcon from 'lucide-static/icons/panel-left.svg';
import markIcon from 'lucide-static/icons/waypoints.svg';
import { storedText, storeText } from '../../data/stored-texts.ts';
import { navigation, navigationEntryOf, pageAddress } from '../../navigation.ts';
import { Icon } from '../icon.tsx';

const STORED_AS = 'nodewright.bar';

export const isBarFolded = signal(storedText(STORED_AS) === 'folded');
export const isMenuOpen = signal(false);

export function foldBar(): void {
  isBarFolded.value = !isBarFolded.value;
  storeText(STORED_AS, isBarFolded.value ? 'folded' : 'open');
}

export function SideBar({ path }: { path: string }) {
  const current = navigationEntryOf(path);
  return (
    <nav class={isMenuOpen.value ? 'bar open' : 'bar'} aria-label="Pages">
      <a class="home" href="/ui" title="Overview">
        <Icon of={markIcon} />
        <span class="word">nodewright</span>
      </a>
      {navigation.map(({ title, entries }) => (
        <div key={title}>
          {/* A group of one page has its name. */}
          {entries.some((entry) => entry.title !== title) && (
            <p class="word" aria-hidden="true">
              {title}
            </p>
          )}
          <ul aria-label={title}>
            {entries.map((entry) => (
              <li key={entry.path}>
                <a
                  href={pageAddress(entry.path)}
                  title={`${entry.title} (g ${entry.key})`}
                  aria-current={entry === current ? 'page' : undefined}
                >
                  <Icon of={entry.icon} />
                  <span class="word">{entry.title}</span>
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <button type="button" class="fold" aria-pressed={isBarFolded.value} title="Fold the bar" onClick={foldBar}>
        <Icon of={foldIcon} />
        <span class="word">Fold</span>
      </button>
    </nav>
  );
}
