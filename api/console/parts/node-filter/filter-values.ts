/** The values that the tokens of a filter line may have: words of the console, or what nodes have. */
import { healthStates, powerStates } from '../../../../engine/vocabulary/states.ts';
import { serverStatuses } from '../../data/node-status.ts';
import { burnInWords, type FilterChoices } from './node-filter.ts';
import { nodeSorts } from './node-order.ts';

/** Names of SKUs by id. */
export type SkuNames = ReadonlyMap<string, string>;

/** The values by the word before the colon; a part of an open one is enough. */
export interface TokenValues {
  fixed: Readonly<Record<string, readonly string[]>>;
  open: Readonly<Record<string, readonly string[]>>;
}

export const tokenValues = ({ tags, types, racks }: FilterChoices, skuNames: SkuNames): TokenValues => ({
  fixed: {
    status: serverStatuses,
    health: healthStates,
    burnin: burnInWords,
    held: ['held'],
    power: powerStates,
    bmc: ['missing'],
    sort: nodeSorts,
  },
  open: { sku: ['none', ...skuNames.values()], rack: racks, tag: tags, type: types },
});

/** The value itself, else all that have the text as a part; none: there is no such value. */
export function valuesMatching(values: readonly string[], text: string): readonly string[] {
  const wanted = text.toLowerCase();
  const exact = values.filter((value) => value.toLowerCase() === wanted);
  return exact.length > 0 ? exact : values.filter((value) => value.toLowerCase().includes(wanted));
}

const nouns: Readonly<Record<string, string>> = { sku: 'SKU', rack: 'rack', tag: 'tag', type: 'type' };

/** Why a token selects nothing; undefined: it does. @param isTyped it may become another one */
export function tokenProblem(
  { fixed, open }: TokenValues,
  word: string,
  text: string,
  isTyped: boolean,
): string | undefined {
  const [words, values] = [fixed[word], open[word]];
  if (words !== undefined) {
    if (text === '' || words.includes(text) || (isTyped && words.some((one) => one.startsWith(text)))) return undefined;
    return `${word}:${text} is no filter: ${word} is one of ${words.join(', ')}.`;
  }
  if (values === undefined)
    return `${word}: is no filter. These are: ${Object.keys({ ...fixed, ...open }).join(', ')}.`;
  const unknown = text.split(',').find((part) => part !== '' && valuesMatching(values, part).length === 0);
  return unknown === undefined ? undefined : `No node has a ${nouns[word]} ${unknown}.`;
}
