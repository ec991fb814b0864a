/** The pages of the reference, which `npm run docs` writes, by the name that each explains. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { didYouMean } from '../../engine/vocabulary/nearest.ts';
import { packagePath, packageRoot } from '../../engine/vocabulary/package-path.ts';
import { messageOf } from '../../engine/vocabulary/thrown-values.ts';
import { replacedName } from '../../engine/vocabulary/until-0.2.ts';
import { CommandError, EXIT } from './exit-codes.ts';

const home = packagePath('docs/generated');
/** Only a checkout of the sources has it. */
const writer = packagePath('test/reference/main.ts');

export interface Explanation {
  /** As its page has it; another one than the term if 0.2 removes that. */
  name: string;
  /** The address below /docs. */
  address: string;
  markdown: string;
}

/** Whether two names differ at most by capital letters. */
export const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** @throws CommandError for a name that has no page */
export function explanationOf(term: string): Explanation {
  if (!existsSync(home)) writePages();
  const kinds = readdirSync(home);
  const all = kinds.flatMap((kind) =>
    readdirSync(join(home, kind)).map((file) => ({ kind, name: basename(file, '.md') })),
  );
  const pageOf = (wanted: string) =>
    all.find(({ name }) => name === wanted) ?? all.find(({ name }) => isSameName(name, wanted));
  const newName = replacedName(term);
  const ownPage = pageOf(term) ?? pageOf(newName);
  // A key within another one, such as obm.timeoutMs, is on the page of that.
  const [outerKey] = newName.split('.');
  const match = ownPage ?? all.find(({ kind, name }) => kind === 'configuration' && name === outerKey);
  if (match === undefined) {
    const names = all.map(({ name }) => name);
    throw new CommandError(
      `found no page of ${term}; expected a name of ${kinds.join(', ')}${didYouMean(term, names)}`,
      EXIT.usage,
    );
  }
  const { kind, name } = match;
  const markdown = readFileSync(join(home, kind, `${name}.md`), 'utf8');
  return { name: ownPage?.name ?? newName, address: `/docs/reference/${kind}/${name}`, markdown };
}

function writePages(): void {
  if (!existsSync(writer)) throw new CommandError(`found no ${home}; install the package again`);
  try {
    execFileSync(process.execPath, ['--import', 'tsx', writer, '--entries'], { cwd: packageRoot, stdio: 'pipe' });
  } catch (error) {
    throw new CommandError(`cannot write ${home} (${messageOf(error)}); run npm run docs as a user who may`);
  }
}

/** Makes a page readable in a terminal. @param strong marks headings and bold words */
export function terminalText(markdown: string, strong: (text: string) => string): string {
  return markdown
    .replace(/<!--[\s\S]*?-->\n*/g, '')
    .replace(/^## States\n+```mermaid[\s\S]*?```\n+/gm, '')
    .replace(/^```\w*\n([\s\S]*?)^```$/gm, (_, code: string) => code.trimEnd().replace(/^/gm, '    '))
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/\*\*(.+?)\*\*/g, (_, text: string) => strong(text))
    .replace(/^#+ (.*)$/gm, (_, text: string) => strong(text))
    .trimEnd();
}
