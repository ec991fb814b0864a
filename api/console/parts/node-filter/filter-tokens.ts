/** The filters of the list of nodes as one line: `health:critical sku:"PowerEdge R650" r12s`. */
import { type SkuNames, type TokenValues, tokenProblem, valuesMatching } from './filter-values.ts';
import { emptyFilter, type NodeFilter, nodeFilterIn } from './node-filter.ts';

/** The fields that a token may have, by the word before its colon. */
const fieldByWord: Readonly<Record<string, keyof NodeFilter>> = {
  status: 'state',
  health: 'health',
  burnin: 'burnIn',
  held: 'held',
  power: 'power',
  sku: 'sku',
  rack: 'rack',
  tag: 'tag',
  type: 'type',
  bmc: 'obm',
  sort: 'sort',
};

const TOKEN = /(\w+):(?:"([^"]*)"?|(\S*))|\S+/g;

/** Another word for the same field. */
const aliases: Readonly<Record<string, string>> = { state: 'status' };

interface Token {
  text: string;
  /** Before its colon; '': it is a word that is searched for. */
  word: string;
  value: string;
}

/** A MAC, an address or a URN has colons too. */
const isWord = (word: string, text: string): boolean =>
  Object.hasOwn(fieldByWord, word) || (/^[a-z]{3,}$/i.test(word) && !/[:/]/.test(text.slice(word.length + 1)));

function tokensIn(line: string): Token[] {
  return [...line.matchAll(TOKEN)].map(([text, before = '', quoted, plain]) => {
    const word = aliases[before] ?? before;
    return { text, word: isWord(word, text) ? word : '', value: quoted ?? plain ?? '' };
  });
}

/** @param line as it is typed, perhaps half @param values that its tokens may have: of an open one, a part of a value is enough */
export function filterOfLine(line: string, { open }: TokenValues, skuNames: SkuNames): NodeFilter {
  const words: string[] = [];
  const fields: Partial<Record<keyof NodeFilter, string>> = {};
  const valuesOf = (word: string, text: string): readonly string[] => {
    const matching = valuesMatching(open[word] ?? [], text);
    if (text === '' || matching.length === 0) return [text];
    return word === 'sku' ? matching.flatMap((name) => idsOfSku(name, skuNames)) : matching;
  };
  for (const { text, word, value } of tokensIn(line)) {
    const field = fieldByWord[word];
    if (field === undefined) words.push(text);
    else fields[field] = [...new Set(value.split(',').flatMap((part) => valuesOf(word, part)))].join(',');
  }
  return nodeFilterIn({ ...fields, q: words.join(' ') });
}

function idsOfSku(name: string, skuNames: SkuNames): string[] {
  const ids = [...skuNames].filter(([, one]) => one === name).map(([id]) => id);
  return ids.length === 0 ? [name] : ids;
}

/** Why a token of the line selects nothing; undefined: all may. */
export function lineProblem(line: string, values: TokenValues): string | undefined {
  const tokens = tokensIn(line);
  for (const [place, { word, value, text }] of tokens.entries()) {
    const isTyped = place === tokens.length - 1 && line.endsWith(text);
    const problem = word === '' ? undefined : tokenProblem(values, word, value, isTyped);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

export function lineOfFilter(filter: NodeFilter, skuNames: SkuNames): string {
  const tokens = Object.entries(fieldByWord).flatMap(([word, field]) => {
    const value =
      field === 'sku'
        ? filter.sku
            .split(',')
            .map((id) => skuNames.get(id) ?? id)
            .join(',')
        : filter[field];
    return value === '' ? [] : [tokenOf(word, value)];
  });
  return [...tokens, ...(filter.q === '' ? [] : [filter.q])].join(' ');
}

const tokenOf = (word: string, value: string): string => `${word}:${/\s/.test(value) ? `"${value}"` : value}`;

/** Completions that are offered. */
const COMPLETIONS = 40;

/** Lines that the last token of this one may become. */
export function lineCompletions(line: string, { fixed, open }: TokenValues): string[] {
  const [, before = '', last = ''] = /^(.*?\s)?(\S*)$/s.exec(line) ?? [];
  return Object.entries({ ...fixed, ...open })
    .flatMap(([word, all]) => all.map((value) => tokenOf(word, value)))
    .filter((token) => last !== '' && token !== last && isBegun(token, last))
    .slice(0, COMPLETIONS)
    .map((token) => `${before}${token}`);
}

/** `sku:r650` is a beginning of `sku:"PowerEdge R650"`. */
function isBegun(token: string, last: string): boolean {
  const [word = '', value = ''] = last.toLowerCase().split(/:"?(.*)/);
  const [whole = '', values = ''] = token.toLowerCase().split(/:(.*)/);
  return last.includes(':') ? whole === word && values.includes(value) : whole.startsWith(word);
}

/** Whether two lines select the same nodes. */
export const isSameFilter = (one: NodeFilter, other: NodeFilter): boolean =>
  (Object.keys(emptyFilter) as (keyof NodeFilter)[]).every((field) => one[field] === other[field]);
