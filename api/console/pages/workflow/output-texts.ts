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
  const found: OutputText[] = [];
  for (const { label, output } of tasks) collect(label, '', output, found, DEPTH);
  return found;
}

function collect(task: string, path: string, value: unknown, found: OutputText[], depth: number): void {
  if (typeof value !== 'object' || value === null || depth === 0 || found.length >= MOST_TEXTS) return;
  const exitCode = 'exitCode' in value && typeof value.exitCode === 'number' ? value.exitCode : null;
  for (const [key, inner] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    if (!TEXTS.includes(key) || typeof inner !== 'string') collect(task, at, inner, found, depth - 1);
    else if (inner !== '' && found.length < MOST_TEXTS) found.push({ task, path: at, text: inner, exitCode });
  }
}
