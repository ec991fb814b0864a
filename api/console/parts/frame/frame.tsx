/** Around each page: the left bar, the top bar, and the banner while the daemon is away. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { connection } from '../../data/live.ts';
import { Palette } from './palette.tsx';
import { isPaletteOpen, useShortcuts } from './shortcuts.ts';
import { isBarFolded, isMenuOpen, SideBar } from './side-bar.tsx';
import { TopBar } from './top-bar.tsx';

/** The next page is being loaded; the one before is still shown. */
export const isPageLoading = signal(false);

export function Frame({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  useShortcuts();
  useEffect(() => {
    isMenuOpen.value = false;
  }, [path]);
  const isAway = connection.value === 'away';
  return (
    <div class={`frame ${isAway ? 'stale' : ''} ${isBarFolded.value ? 'folded' : ''}`}>
      <a class="skip" href="#page">
        Skip to the page
      </a>
      <SideBar path={path} />
      <div class="beside">
        <TopBar path={path} />
        {isAway && (
          <p class="banner" role="status">
            The daemon does not answer. The page shows its last state, and continues by itself.
          </p>
        )}
        <main id="page" tabIndex={-1} aria-busy={isPageLoading.value}>
          {children}
        </main>
      </div>
      {isPaletteOpen.value && <Palette />}
    </div>
  );
}
