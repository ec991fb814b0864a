/**
 * The options of tasks that commands which launch take by `--set`, as in `nw run Graph.X node-1 --set disk=sda`. Until 0.2 `-o`
 * takes them too: a value with `=` is an option of the graph, any other the form of the result.
 */
import { InvalidArgumentError } from 'commander';
import { isOneOf } from '../../engine/vocabulary/one-of.ts';
import { type TaskOption, taskOptionsOf } from '../client/launch-options.ts';
import { jsonValue } from './option-values.ts';
import { type OutputFormat, outputFormats } from './output.ts';
import { inform } from './terminal.ts';

export interface OutputOrOptions {
  format: OutputFormat;
  given: readonly TaskOption[];
}

export const noTaskOptions: OutputOrOptions = { format: 'table', given: [] };

/** `key=value` for all tasks, `label.key=value` for one. */
const OPTION = /^(?:([^.=]+)\.)?([^=]+)=(.*)$/s;

function optionIn(text: string): TaskOption | undefined {
  const [, label = 'defaults', key, value] = OPTION.exec(text) ?? [];
  return key === undefined || value === undefined ? undefined : { label, key, value: jsonValue(value) };
}

/** For commander: one value of `--set`, with those before it. */
export function taskOption(text: string, before: readonly TaskOption[] = []): TaskOption[] {
  const option = optionIn(text);
  if (option === undefined) throw new InvalidArgumentError('Expected key=value or label.key=value.');
  return [...before, option];
}

/** For commander: one value of `-o`, with those before it. */
export function outputOrOption(text: string, before: OutputOrOptions): OutputOrOptions {
  const option = optionIn(text);
  if (option !== undefined) return { ...before, given: [...before.given, option] };
  if (isOneOf(outputFormats, text)) return { ...before, format: text };
  throw new InvalidArgumentError(`Expected one of ${outputFormats.join(', ')}.`);
}

/** The options of both forms. */
export function givenOptions({ output, set = [] }: { output: OutputOrOptions; set?: readonly TaskOption[] }) {
  if (output.given.length > 0) inform('-o key=value ends with 0.2; use --set key=value');
  return taskOptionsOf([...output.given, ...set]);
}
