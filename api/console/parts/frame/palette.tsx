/** The palette: one field that leads to any node, workflow, graph or page, and runs the actions of the page. */
import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { logOut } from '../../data/current-user.ts';
import { connection } from '../../data/live.ts';
import { switchZone } from '../../data/shown-times.ts';
import { navigation, navigationEntries, pageAddress, tabEntries } from '../../navigation.ts';
import { type SearchResult, searchResults } from './palette-search.ts';
import { isPaletteOpen } from './shortcuts.ts';
import { foldBar } from './side-bar.tsx';

interface PaletteItem {
  kind: SearchResult['kind'] | 'page' | 'action';
  title: string;
  detail: string;
  run: () => void;
}

/** ms without a key before the daemon is asked. */
const PALETTE_TYPING_MS = 150;
const KEY_STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

export function Palette() {
  const { route } = useLocation();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const text = useSignal('');
  const results = useSignal<readonly SearchResult[]>([]);
  const isSearching = useSignal(false);
  const at = useSignal(0);
  const buttons = useRef<PaletteItem[]>([]);
  const close = () => {
    isPaletteOpen.value = false;
  };
  useEffect(() => {
    buttons.current = pageActions();
    dialog.current?.showModal();
    return () => dialog.current?.close();
  }, []);
  const wanted = text.value.trim();
  useEffect(() => {
    at.value = 0;
    isSearching.value = wanted !== '';
    if (wanted === '') {
      results.value = [];
      return;
    }
    let isWanted = true;
    const timer = setTimeout(async () => {
      const answer = await searchResults(wanted);
      if (isWanted) [results.value, isSearching.value] = [answer, false];
    }, PALETTE_TYPING_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [wanted]);
  const matches = ({ title, detail }: PaletteItem) => `${title} ${detail}`.toLowerCase().includes(wanted.toLowerCase());
  const items: PaletteItem[] = [
    ...results.value.map(({ path, ...result }) => ({ ...result, run: () => route(path) })),
    ...[...buttons.current, ...pageItems(route), ...consoleActions].filter(matches),
  ];
  const choose = (item: PaletteItem | undefined) => {
    if (item === undefined) return;
    close();
    // After the palette has returned the focus.
    setTimeout(item.run);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = KEY_STEPS[event.key];
    if (step !== undefined) {
      event.preventDefault();
      at.value = (at.value + step + items.length) % Math.max(1, items.length);
      document.getElementById(`${id}-${at.value}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') choose(items[at.value]);
  };
  return (
    <dialog class="palette" ref={dialog} aria-label="Search" onClose={close}>
      <input
        type="search"
        // biome-ignore lint/a11y/noRedundantRoles: without a list it has the role of a field for searches.
        role="combobox"
        list={undefined}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={`${id}-${at.value}`}
        aria-label="Node, MAC, serial number, address, workflow, graph, page or action"
        placeholder="Node, MAC, serial number, address, workflow, graph, page or action"
        autoComplete="off"
        spellcheck={false}
        onKeyDown={onKeyDown}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
        }}
      />
      <div role="listbox" id={`${id}-list`} aria-label="Results">
        {items.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys.
          <div
            key={`${item.kind} ${item.title} ${index}`}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at.value}
            onClick={() => choose(item)}
          >
            <span>{item.title}</span> <span class="quiet">{item.detail}</span> <small class="quiet">{item.kind}</small>
          </div>
        ))}
      </div>
      <p class="quiet" role="status">
        {isSearching.value
          ? 'Searching'
          : items.length === 0
            ? connection.value === 'away'
              ? 'The daemon does not answer: nothing can be found now.'
              : 'No name, id or address begins with it.'
            : 'Enter opens, Escape closes'}
      </p>
    </dialog>
  );
}

const pageItems = (route: (path: string) => void): PaletteItem[] => [
  ...navigation.flatMap(({ title: group, entries }) =>
    entries.map(({ title, path, key }) => ({
      kind: 'page' as const,
      title,
      detail: `${group === title ? '' : `${group}, `}g ${key}`,
      run: () => route(pageAddress(path)),
    })),
  ),
  ...tabEntries().map(({ title, path, tab }) => ({
    kind: 'page' as const,
    title,
    detail: navigationEntries.find((one) => one.path === path)?.title ?? '',
    run: () => route(`${pageAddress(path)}?tab=${tab}`),
  })),
];

const action = (title: string, detail: string, run: () => void): PaletteItem => ({
  kind: 'action',
  title,
  detail,
  run,
});

const consoleActions: readonly PaletteItem[] = [
  action('Show times in the other zone', 'local or UTC', switchZone),
  action('Fold or unfold the bar', '', foldBar),
  action('Log out', '', () => void logOut()),
];

/** The buttons of the page that take effect now. */
function pageActions(): PaletteItem[] {
  const all = document.querySelectorAll<HTMLButtonElement>('main .page-actions button:enabled');
  return [...all].map((button) =>
    action(button.textContent?.trim() ?? '', button.dataset.key ?? 'on this page', () => button.click()),
  );
}
