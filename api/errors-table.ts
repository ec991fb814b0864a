/** The page of errors, `api/ERRORS.md`, made from their list: `npm run errors` writes it anew. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Consequence, consequences, type ErrorMeaning, errorMeanings } from '../engine/define/error-codes.ts';

const file = new URL('ERRORS.md', import.meta.url);

export function errorsTable(): string {
  const all = Object.entries<ErrorMeaning>(errorMeanings);
  const sections = Object.entries(consequences).flatMap(([name, { title, means }]) => [
    `## ${title}`,
    means,
    rows(all.filter(([, { consequence }]) => consequence === (name as Consequence))),
  ]);
  const head =
    'Written by `npm run errors`. An answer carries the code in `code`; the record of a task or workflow in `error.code`. The message beside it says what was found, what was expected and what to do. Codes that begin with `X_` are those of graph and task authors.';
  return ['# Every error', head, ...sections].join('\n\n');
}

function rows(errors: readonly [code: string, meaning: ErrorMeaning][]): string {
  const cells = errors.map(([code, { status, when, help }]) => [`\`${code}\``, String(status), when, help]);
  const head = ['code', 'status', 'when', 'what helps'];
  return [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, `${errorsTable()}\n`);
