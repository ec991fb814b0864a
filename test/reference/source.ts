/** The leading comment of a source file, as Markdown: files of graphs and tasks describe themselves in it. */
import { readFileSync } from 'node:fs';

/**
 * @param name of the definition: a heading that repeats it is left out
 * @throws Error if the file does not begin with a comment
 */
export function headerOf(file: string, name = ''): string {
  const [, text] = /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(file, 'utf8')) ?? [];
  if (text === undefined) throw new Error(`${file} begins without a comment`);
  const lines = text
    .split('\n')
    .map((line) => line.replace(/^ ?\*? ?/, '').trimEnd())
    .join('\n')
    .trim();
  const described = lines.startsWith(`${name}: `) ? lines.slice(name.length + 2) : lines;
  return described.charAt(0).toUpperCase() + described.slice(1);
}
