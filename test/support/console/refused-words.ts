/** The words that the console does not use, as the glossary lists them. */
import { readFileSync } from 'node:fs';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';

const [, section = ''] =
  /## Words of the console\n(.*?)\n## /s.exec(readFileSync(packagePath('engine/GLOSSARY.md'), 'utf8')) ?? [];

export const refusedWords: readonly string[] = [...section.matchAll(/^\| ([^|]+?) +\|/gm)]
  .slice(2)
  .flatMap(([, words = '']) => words.split(', '));

/** Names of the API, such as those of services, paths and metrics, are no words. */
const word = new RegExp(String.raw`(?<![\w/.:-])(?:${refusedWords.join('|')})(?![\w/-])`);
const json = /[{[]\s*"[\w-]+"\s*:/;
const uuid = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/i;
const singular =
  /(?<![\d.,])1 (?:nodes|workflows|targets|failures|tasks|attempts|drives|events|jobs|BMCs|causes|phases|matches|entries|minutes|hours|days)\b/;

/** The parts of a text that operators would not say. */
export const refusedIn = (text: string): string[] =>
  [word, json, uuid, singular].flatMap((pattern) => {
    const { index, 0: found } = pattern.exec(text) ?? {};
    return found === undefined ? [] : [text.slice(Math.max(0, (index ?? 0) - 40), (index ?? 0) + found.length + 40)];
  });
