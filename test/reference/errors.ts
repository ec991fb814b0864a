/** The page of all error codes, from their list, and the page of each. */
import { errorMeanings } from '../../engine/vocabulary/error-codes.ts';
import { type Consequence, consequences, type ErrorMeaning } from '../../engine/vocabulary/error-meaning.ts';
import type { Entry } from './entry.ts';
import { bullets, code, pageOf } from './markdown.ts';

export function errorsPage(): string {
  const all = Object.entries<ErrorMeaning>(errorMeanings);
  const sections = Object.entries(consequences).flatMap(([name, { title, means }]) => [
    `## ${title}`,
    means,
    bullets(all.filter(([, { consequence }]) => consequence === (name as Consequence)).map(lineOf)),
  ]);
  return pageOf(
    'Every error',
    'An answer has the code in `code` and the status shown; the record of a task or workflow has the code in `error.code`. The message says what was found, what was expected and what to do. Codes that begin with `X_` are defined by graph and task authors.',
    ...sections,
  );
}

export const errorEntries = (): Entry[] =>
  Object.entries<ErrorMeaning>(errorMeanings).map(([name, { status, consequence, when, help }]) => ({
    name,
    parts: [
      [
        'Meaning',
        `**${consequences[consequence].title}.** ${consequences[consequence].means}`,
        `Status of an answer: ${status}.`,
      ],
      ['Cause', when],
      ['Remedy', help],
    ],
    declared: 'engine/vocabulary/error-codes.ts',
    sought: new RegExp(`'${name}'`),
  }));

const lineOf = ([name, { status, when, help }]: [string, ErrorMeaning]): string =>
  `**${code(name)}** (${status}): ${when} Remedy: ${help}`;
