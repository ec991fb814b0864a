/** The texts that commands wrote: found in the outputs of tasks, wherever they have `stdout` or `stderr`. */

export interface OutputText {
  task: string;
  /** Within the output of the task, such as `results.0.stdout`. */
  path: string;
  text: string;
  exitCode: number | null;
}

const TEXTS = ['stdout', 'stderr'];
const DEPTH = 6;
export const MOST_TEXTS = 200;

export function outputTexts(tasks: readonly { label: string; output: unknown }[]): OutputText[] {
  const texts: OutputText[] = [];
  for (const { label, output } of tasks) collect(label, '', output, texts, DEPTH);
  return texts;
}

function collect(task: string, path: string, value: unknown, texts: OutputText[], depth: number): void {
  if (typeof value !== 'object' || value === null || depth === 0 || texts.length >= MOST_TEXTS) return;
  const exitCode = 'exitCode' in value && typeof value.exitCode === 'number' ? value.exitCode : null;
  for (const [key, inner] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    if (!TEXTS.includes(key) || typeof inner !== 'string') collect(task, at, inner, texts, depth - 1);
    else if (inner !== '' && texts.length < MOST_TEXTS) texts.push({ task, path: at, text: inner, exitCode });
  }
}
