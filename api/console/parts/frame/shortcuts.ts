/** Keys: `Ctrl K` opens the palette, `/` the search, `g` and a letter a page; `r` presses the button that has it. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { navigationEntries, pageAddress } from '../../navigation.ts';
import { isTyping } from '../is-typing.ts';

export const isPaletteOpen = signal(false);

/** ms in which the second key of two must follow. */
const SECOND_KEY_MS = 1_500;

export function useShortcuts(): void {
  const { route } = useLocation();
  useEffect(() => {
    /** ms since 1970 */
    let gAt = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') {
        event.preventDefault();
        isPaletteOpen.value = true;
        return;
      }
      if (ctrlKey || metaKey || altKey || event.repeat || isTyping(event.target)) return;
      const entry = Date.now() - gAt < SECOND_KEY_MS ? navigationEntries.find((one) => one.key === key) : undefined;
      gAt = key === 'g' && entry === undefined ? Date.now() : 0;
      if (entry !== undefined) route(pageAddress(entry.path));
      else if (key === '/') openSearch(event);
      else if (/^[a-z]$/.test(key)) pressButton(key);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** The field of the page, if it has one, else that of the palette. */
function openSearch(event: KeyboardEvent): void {
  event.preventDefault();
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  if (field === null) isPaletteOpen.value = true;
  else field.focus();
}

/** Two buttons with the same key have none: the key does not say which one is meant. */
function pressButton(key: string): void {
  const [button, ...others] = document.querySelectorAll<HTMLButtonElement>(`main button[data-key="${key}"]:enabled`);
  if (others.length === 0) button?.click();
}
