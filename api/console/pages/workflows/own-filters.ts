/** Filters that the reader has saved, in this browser. */
import { signal } from '@preact/signals';
import { storedText, storeText } from '../../data/stored-texts.ts';
import { choiceOf, type ListChoice } from './list-choice.ts';

export interface OwnFilter {
  name: string;
  choice: ListChoice;
}

const KEY = 'nodewright.workflow-filters';
const MAX_FILTERS = 30;
export const LONGEST_NAME = 60;

export const ownFilters = signal<readonly OwnFilter[]>(storedFilters());

/** One of the same name is replaced; of too many the oldest is forgotten. */
export function keepFilter(name: string, choice: ListChoice): void {
  const others = ownFilters.value.filter((one) => one.name !== name);
  store([...others, { name: name.slice(0, LONGEST_NAME), choice }].slice(-MAX_FILTERS));
}

export const forgetFilter = (name: string): void => store(ownFilters.value.filter((one) => one.name !== name));

function store(filters: readonly OwnFilter[]): void {
  ownFilters.value = filters;
  storeText(KEY, JSON.stringify(filters));
}

function storedFilters(): OwnFilter[] {
  try {
    const storedValue: unknown = JSON.parse(storedText(KEY) ?? '[]');
    return Array.isArray(storedValue) ? storedValue.flatMap(filterIn).slice(-MAX_FILTERS) : [];
  } catch {
    return [];
  }
}

/** Accepts what an earlier version may have stored. */
function filterIn(storedValue: unknown): OwnFilter[] {
  const { name, choice } = Object(storedValue) as Partial<OwnFilter>;
  return typeof name === 'string' ? [{ name, choice: choiceOf({ ...(Object(choice) as ListChoice) }) }] : [];
}
