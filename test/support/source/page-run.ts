/** Runs the commands of a page as a reader would: all of them in one shell, in order. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ExecutionContext } from 'ava';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { WAIT_MS } from '../ava/patience.ts';

export interface Block {
  language: string;
  text: string;
}

export const blocksOf = (page: string): Block[] =>
  [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({ language, text }));

const MARK = '=== block ';
const WILDCARD = '…';

/**
 * Runs the `sh` blocks, saves each `ts`, `python` and `yaml` block in the file that its first line names, and compares the output of a
 * block with the `text` block that follows it: each line occurs, in this order; `…` is any text.
 * @param replaced texts of the page, such as port numbers, and their replacements
 */
export async function runPage(t: ExecutionContext, page: string, replaced: Record<string, string>): Promise<void> {
  const text = Object.entries(replaced).reduce((all, [from, to]) => all.replaceAll(from, to), page);
  const blocks = blocksOf(text);
  const outputs = await runShell(t, blocks.map(commandsOf).join(''));
  t.is(outputs.length, blocks.length);
  for (const [at, { language, text: expected }] of blocks.entries()) {
    if (language === 'text') compare(t, outputs.slice(0, at).findLast((output) => output !== '') ?? '', expected);
  }
}

function commandsOf({ language, text }: Block): string {
  const mark = `echo; echo '${MARK}'\n`;
  if (language === 'sh') return `${mark}${text}`;
  const [, file] = /^(?:\/\/|#) (\/\S+)\n/.exec(text) ?? [];
  return ['ts', 'python', 'yaml'].includes(language) && file !== undefined
    ? `${mark}cat > ${file} <<'PAGE_END'\n${text}PAGE_END\n`
    : mark;
}

/** @returns the output of each block */
async function runShell(t: ExecutionContext, script: string): Promise<string[]> {
  // In a process group of its own, so that everything that the page starts ends with the test.
  const shell = spawn('bash', ['-c', `set -euo pipefail\n${script}`], {
    cwd: packagePath('.'),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = () => {
    try {
      process.kill(-(shell.pid as number), 'SIGKILL');
    } catch {
      // All of them have ended.
    }
  };
  t.teardown(end);
  const timer = setTimeout(end, WAIT_MS);
  let output = '';
  let errors = '';
  shell.stdout.on('data', (chunk) => {
    output += chunk;
  });
  shell.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [code] = await once(shell, 'exit');
  clearTimeout(timer);
  t.is(code, 0, `${output.slice(-2_000)}\n${errors.slice(-2_000)}`);
  return output.split(`\n${MARK}\n`).slice(1);
}

function compare(t: ExecutionContext, output: string, expected: string): void {
  const pattern = expected
    .trimEnd()
    .split('\n')
    .map((line) => line.split(WILDCARD).map(escaped).join('.*'))
    .join('\\n(?:.*\\n)*?');
  t.regex(output, new RegExp(`^${pattern}$`, 'm'));
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
