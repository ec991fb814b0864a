/** The form of all pages: their links, their tables, and the way to each of them. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test from 'ava';
import { packagePath } from '../engine/vocabulary/package-path.ts';
import { MAX_CELL } from './reference/markdown.ts';
import { generatedPages } from './reference/pages.ts';

const FOLDERS = ['docs', 'engine', 'api', 'graphs', 'tasks', 'fixtures', 'test'];

function filesIn(folder: string): string[] {
  const names = readdirSync(packagePath(folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => !/^(?:node_modules|generated)\//.test(name)).map((name) => join(folder, name));
}

const paths = [
  ...readdirSync(packagePath('.')).filter((name) => name.endsWith('.md')),
  ...FOLDERS.flatMap(filesIn).filter((name) => name.endsWith('.md')),
];
const pages = new Map(paths.map((path) => [path, readFileSync(packagePath(path), 'utf8')]));

/** Written by the bench. */
const isResult = (path: string): boolean => path.startsWith('test/bench/results/');

/** A page without its code blocks. */
const prose = (text: string): string => text.replace(/^([ \t]*)```[\s\S]*?^\1```$/gm, '');

interface Link {
  from: string;
  to: string;
  heading: string | undefined;
}

const links: Link[] = [...pages].flatMap(([from, text]) =>
  [...prose(text).matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', heading] = target.split('#');
      return { from, to: path === '' ? from : join(dirname(from), path), heading };
    }),
);

/** As GitHub makes them. */
const anchorsOf = (text: string): string[] =>
  [...prose(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

test('every link leads to a file, and to a heading of it', (t) => {
  t.true(links.length > 200);
  const broken = links.filter(({ to, heading }) => {
    if (!existsSync(packagePath(to)) || statSync(packagePath(to)).isDirectory()) return true;
    return heading !== undefined && !anchorsOf(pages.get(to) ?? '').includes(heading);
  });
  t.deepEqual(broken, []);
});

/** Pages name files from the root, from their own folder, or from one of these; a name without a folder may be anywhere. */
const BASES = ['engine', 'api', 'test', 'graphs', 'tasks'];
const SOURCE = /\w\.(?:ts|mjs|sh|py)$/;

test('every file of the sources that a page names exists', (t) => {
  const names = new Set(
    FOLDERS.flatMap(filesIn)
      .filter((file) => SOURCE.test(file))
      .map((file) => basename(file)),
  );
  const named = [...pages].flatMap(([path, text]) =>
    [...prose(text).matchAll(/`([\w./-]+)`/g)].map(([, file = '']) => ({ path, file })),
  );
  const files = named.filter(({ file }) => SOURCE.test(file) && !file.startsWith('x.'));
  t.true(files.length > 150, `${files.length}`);
  const exists = ({ path, file }: { path: string; file: string }) =>
    names.has(file) || ['.', dirname(path), ...BASES].some((base) => existsSync(packagePath(join(base, file))));
  t.deepEqual(
    files.filter((one) => !exists(one)),
    [],
  );
});

test('every page can be reached from the README', (t) => {
  const reached = new Set(['README.md']);
  for (const path of reached) for (const { from, to } of links) if (from === path && pages.has(to)) reached.add(to);
  t.deepEqual(
    paths.filter((path) => !reached.has(path) && !isResult(path)),
    [],
  );
});

test('every cell of a table has less than 60 characters', (t) => {
  const long = [...pages].flatMap(([path, text]) =>
    prose(text)
      .split('\n')
      .filter((line) => line.trimStart().startsWith('|'))
      .flatMap((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
      .filter((cell) => cell.length > MAX_CELL && !/^-+$/.test(cell))
      .map((cell) => `${path}: ${cell}`),
  );
  t.deepEqual(long, []);
});

test('the README is about one screen, and a page that is not generated at most 400 lines', (t) => {
  const lines = (path: string) => (pages.get(path) ?? '').split('\n').length - 1;
  t.true(lines('README.md') <= 80, `${lines('README.md')} lines`);
  t.deepEqual(
    paths
      .filter((path) => !(path in generatedPages) && !isResult(path) && lines(path) > 400)
      .map((path) => `${path}: ${lines(path)}`),
    [],
  );
});

test('each criterion of the passing level of OpenSSF has one answer', (t) => {
  const [, ...groups] = pages.get('docs/understand/best-practices.md')?.split('\n## ') ?? [];
  const answers = groups.map((group) => [
    ...group.matchAll(/^- \*\*(\w+)\*\*, (?:met|not met|not applicable|by the operator)/gm),
  ]);
  t.deepEqual(
    answers.map(({ length }) => length),
    [13, 9, 8, 13, 16, 8],
  );
  t.is(new Set(answers.flat().map(([, name]) => name)).size, 67);
});
