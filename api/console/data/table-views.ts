/** The choices of a user for a table, kept by this browser: its columns, and its views by name. */
import { signal } from '@preact/signals';
import { session } from './current-user.ts';
import { storedText, storeText } from './stored-texts.ts';

export interface SavedView {
  name: string;
  /** Below /ui, with the filters, the order and the columns. */
  address: string;
}

const MAX_VIEWS = 30;
export const LONGEST_NAME = 60;

const keyOf = (kind: 'columns' | 'views', page: string): string =>
  `nodewright.${kind}${page}.${session.value?.username ?? ''}`;

/** @returns names of columns, with commas; undefined: the usual ones */
export const storedColumns = (page: string): string | undefined => storedText(keyOf('columns', page)) || undefined;

export const storeColumns = (page: string, names: string | undefined): void =>
  storeText(keyOf('columns', page), names ?? '');

/** @param columns undefined: the usual ones */
export const withColumns = (address: string, columns: string | undefined): string =>
  columns === undefined ? address : `${address}${address.includes('?') ? '&' : '?'}columns=${columns}`;

/** Counts the changes of what is stored. */
const version = signal(0);

export function savedViews(page: string): readonly SavedView[] {
  void version.value;
  try {
    const stored: unknown = JSON.parse(storedText(keyOf('views', page)) ?? '[]');
    return Array.isArray(stored) ? stored.filter((view): view is SavedView => isViewOf(page, view)) : [];
  } catch {
    return [];
  }
}

/** Only addresses of the page: whatever the storage has, a view leads nowhere else. */
function isViewOf(page: string, stored: unknown): boolean {
  const { name, address } = Object(stored) as Partial<SavedView>;
  return typeof name === 'string' && typeof address === 'string' && address.split('?')[0] === `/ui${page}`;
}

/** One of the same name is replaced; of too many the oldest is forgotten. */
export function saveView(page: string, view: SavedView): void {
  const others = savedViews(page).filter(({ name }) => name !== view.name);
  store(page, [...others, { ...view, name: view.name.slice(0, LONGEST_NAME) }].slice(-MAX_VIEWS));
}

export const forgetView = (page: string, name: string): void =>
  store(
    page,
    savedViews(page).filter((view) => view.name !== name),
  );

function store(page: string, views: readonly SavedView[]): void {
  storeText(keyOf('views', page), JSON.stringify(views));
  version.value += 1;
}
