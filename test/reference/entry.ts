/** The page of one name of the reference: what it means, what to do, where the sources have it, and pages that mention it. */
import { dirname, join, relative } from 'node:path';
import { bullets, code, pageOf } from './markdown.ts';

export interface Entry {
  /** Name of an error, a graph, a task, an event, a metric or a key of the configuration. */
  name: string;
  /** Each with its heading; links are those of the page of all names of the kind. */
  parts: readonly (readonly [heading: string, ...paragraphs: string[]])[];
  /** The source, relative to the root. */
  declared: string;
  /** Finds the uses in other sources. */
  sought: RegExp;
}

/** The page of all names of a kind. */
export interface Overview {
  path: string;
  title: string;
}

/** Files by their path, with their text. */
export type Texts = ReadonlyMap<string, string>;

/** Uses and pages that are listed. */
const LISTED = 12;

/**
 * @param path of the page, relative to the root
 * @param pages that may mention the name
 */
export function entryPage(entry: Entry, path: string, overview: Overview, sources: Texts, pages: Texts): string {
  const { name, parts, declared, sought } = entry;
  const to = (target: string) => relative(dirname(path), target);
  const relinked = (text: string) =>
    text.replace(/\]\((?![a-z]+:|#)([^)]+)\)/g, (_, link: string) => `](${to(join(dirname(overview.path), link))})`);
  const uses = [...sources]
    .filter(([file, text]) => file !== declared && sought.test(text))
    .map(([file]) => code(file));
  const mentions = [...pages].filter(([, text]) => isMentioned(name, text));
  return pageOf(
    name,
    ...parts.flatMap(([heading, ...paragraphs]) => [`## ${heading}`, ...paragraphs.map(relinked)]),
    '## Where',
    bullets([`Declared in ${code(declared)}.`, ...(uses.length === 0 ? [] : [`Used in ${listed(uses)}.`])]),
    '## See also',
    bullets([
      `[${overview.title}](${to(overview.path)})`,
      ...mentions.slice(0, LISTED).map(([file, text]) => `[${titleOf(text)}](${to(file)})`),
    ]),
  );
}

const listed = (items: readonly string[]): string =>
  items.length <= LISTED
    ? items.join(', ')
    : `${items.slice(0, LISTED).join(', ')}, and ${items.length - LISTED} other files`;

/** In code: many keys are words too. */
const isMentioned = (name: string, text: string): boolean =>
  new RegExp(`\`[^\`\\n]*(?<![\\w.-])${name.replaceAll('.', '\\.')}(?![\\w-]|\\.\\w)[^\`\\n]*\``).test(text);

const titleOf = (text: string): string => (/^# (.*)$/m.exec(text)?.[1] ?? '').replaceAll('`', '');
