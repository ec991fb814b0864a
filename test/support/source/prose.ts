/** The prose of the source: comments, messages and pages, each piece with its first line number. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';

export interface Prose {
  /** Path relative to the package root. */
  file: string;
  line: number;
  isComment: boolean;
  /** On one line; code in backticks is replaced by `` ` ` ``. */
  text: string;
}

const FOLDERS = ['docs', 'engine', 'graphs', 'tasks', 'api', 'fixtures', 'test'];

/**
 * One expression for all tokens: a quote inside a comment starts no string, and a comment mark inside a string no
 * comment.
 */
const TOKENS =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/(?![*/\s])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[dgimsuvy]*/g;

/** Returns every piece of prose in the folders of the package and in its pages. */
export function allProse(): Prose[] {
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(packagePath(folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => !/^(?:node_modules|generated)\//.test(name))
      .map((name) => join(folder, name)),
  );
  const code = sources.filter((file) => /\.(tsx?|mjs)$/.test(file));
  const top = readdirSync(packagePath('.')).filter((file) => file.endsWith('.md'));
  const pages = [...top, ...sources.filter((file) => file.endsWith('.md'))];
  return [
    ...code.flatMap((file) => proseOfCode(file, readFileSync(packagePath(file), 'utf8'))),
    ...code
      .filter((file) => file.endsWith('.tsx'))
      .flatMap((file) => proseOfMarkup(file, readFileSync(packagePath(file), 'utf8'))),
    ...pages.flatMap((file) => proseOfPage(file, readFileSync(packagePath(file), 'utf8'))),
  ];
}

/** Returns comments, with adjacent line comments as one piece, and strings of at least three words. */
function proseOfCode(file: string, source: string): Prose[] {
  const found: Prose[] = [];
  let end = -1;
  for (const { 0: token, index } of source.matchAll(TOKENS)) {
    const line = source.slice(0, index).split('\n').length;
    const last = found.at(-1);
    if (token.startsWith('//') && last !== undefined && end >= 0 && /^\s*$/.test(source.slice(end, index))) {
      last.text += ` ${plain(token)}`;
      end = index + token.length;
      continue;
    }
    end = token.startsWith('//') ? index + token.length : -1;
    const text = plain(token);
    const isComment = token.startsWith('/*') || token.startsWith('//');
    if (token.startsWith('/') && !isComment) continue;
    if (isComment || /[a-z,;:]+ \S+ \S+/i.test(text)) found.push({ file, line, isComment, text });
  }
  return found;
}

/** Between two tags, or a tag and an expression. */
const MARKUP = />\s*([^<>{}=;]+?)\s*[<{]/g;

/** Returns the texts of elements, of at least three words. */
const proseOfMarkup = (file: string, source: string): Prose[] =>
  [...source.matchAll(MARKUP)]
    .map(({ 1: text = '', index }) => ({
      file,
      line: source.slice(0, index).split('\n').length,
      isComment: false,
      text: plain(text),
    }))
    .filter(({ text }) => /[a-z,;:]+ \S+ \S+/i.test(text));

/** Returns paragraphs, list items and table cells, without code blocks. */
function proseOfPage(file: string, source: string): Prose[] {
  const found: Prose[] = [];
  let isCode = false;
  let open = false;
  for (const [at, raw] of source.split('\n').entries()) {
    if (raw.trimStart().startsWith('```')) isCode = !isCode;
    const last = found.at(-1);
    const text = plain(raw);
    const begins = /^\s*([-*#|]|\d+\.)/.test(raw);
    if (isCode || text === '') open = false;
    else if (raw.startsWith('|')) {
      for (const cell of raw.split('|').map(plain))
        if (/\w/.test(cell)) found.push({ file, line: at + 1, isComment: false, text: cell });
      open = false;
    } else if (open && !begins && last !== undefined) last.text += ` ${text}`;
    else {
      found.push({ file, line: at + 1, isComment: false, text });
      open = true;
    }
  }
  return found;
}

const plain = (token: string): string =>
  token
    .replace(/^(\/\*\*?|\/\/|['"`])|(\*\/|['"`])$/g, '')
    .replace(/\n\s*\*? ?/g, ' ')
    .replace(/\$\{[^}]*\}|`[^`]*`/g, '` `')
    .replace(/\s+/g, ' ')
    .trim();
