/** The filters of the list of nodes as one line: `health:critical sku:"PowerEdge R650" r12s`. */
import { healthStates, powerStates } from '../../../../engine/vocabulary/states.ts';
import { emptyFilter, type FilterChoices, type NodeFilter, nodeFilterIn } from './node-filter.ts';
import { nodeSorts } from './node-order.ts';

/** The fields that a token may have, by the word before its colon. */
const fieldByWord: Readonly<Record<string, keyof NodeFilter>> = {
  state: 'state',
  health: 'health',
  held: 'held',
  power: 'power',
  sku: 'sku',
  tag: 'tag',
  type: 'type',
  bmc: 'obm',
  sort: 'sort',
};

const TOKEN = /(\w+):(?:"([^"]*)"?|(\S*))|\S+/g;

/** Names of SKUs by id. */
type SkuNames = ReadonlyMap<string, string>;

/** Words that are no token of a known field are searched for. @param line as it is typed, perhaps half */
export function filterOfLine(line: string, skuNames: SkuNames): NodeFilter {
  const words: string[] = [];
  const fields: Partial<Record<keyof NodeFilter, string>> = {};
  for (const [text, word = '', quoted, plain] of line.matchAll(TOKEN)) {
    const field = fieldByWord[word];
    if (field === undefined) words.push(text);
    else fields[field] = field === 'sku' ? skuId(quoted ?? plain ?? '', skuNames) : (quoted ?? plain ?? '');
  }
  return nodeFilterIn({ ...fields, q: words.join(' ') });
}

/** The SKU that has this name, or the only one whose name begins so; the text itself if there is none. */
function skuId(text: string, skuNames: SkuNames): string {
  const wanted = text.toLowerCase();
  const named = [...skuNames].filter(([, name]) => name.toLowerCase().startsWith(wanted));
  const exact = named.find(([, name]) => name.toLowerCase() === wanted);
  return (exact ?? (named.length === 1 ? named[0] : undefined))?.[0] ?? text;
}

export function lineOfFilter(filter: NodeFilter, skuNames: SkuNames): string {
  const tokens = Object.entries(fieldByWord).flatMap(([word, field]) => {
    const value = field === 'sku' ? (skuNames.get(filter.sku) ?? filter.sku) : filter[field];
    return value === '' ? [] : [tokenOf(word, value)];
  });
  return [...tokens, ...(filter.q === '' ? [] : [filter.q])].join(' ');
}

const tokenOf = (word: string, value: string): string => `${word}:${/\s/.test(value) ? `"${value}"` : value}`;

/** Completions that are offered. */
const COMPLETIONS = 40;

/** Lines that the last token of this one may become. */
export function lineCompletions(line: string, { tags, types }: FilterChoices, skuNames: SkuNames): string[] {
  const [, before = '', last = ''] = /^(.*?\s)?(\S*)$/s.exec(line) ?? [];
  const values: Record<string, readonly string[]> = {
    state: ['busy', 'free'],
    health: healthStates,
    held: ['held'],
    power: powerStates,
    sku: ['none', ...skuNames.values()],
    tag: tags,
    type: types,
    bmc: ['missing'],
    sort: nodeSorts,
  };
  return Object.entries(values)
    .flatMap(([word, all]) => all.map((value) => tokenOf(word, value)))
    .filter((token) => last !== '' && token !== last && token.toLowerCase().startsWith(last.toLowerCase()))
    .slice(0, COMPLETIONS)
    .map((token) => `${before}${token}`);
}

/** Whether two lines select the same nodes. */
export const isSameFilter = (one: NodeFilter, other: NodeFilter): boolean =>
  (Object.keys(emptyFilter) as (keyof NodeFilter)[]).every((field) => one[field] === other[field]);
