/**
 * `-o` of commands that launch: a value with `=` is an option of the graph, any other the form of the result, as in
 * `nw run Graph.X node-1 -o disk=sda -o json`.
 */
import { InvalidArgumentError } from 'commander';
import { isOneOf } from '../../engine/define/one-of.ts';
import { jsonValue } from './option-values.ts';
import { type OutputFormat, outputFormats } from './output.ts';

/** By task label, or `defaults` for all tasks. */
export type TaskOptions = Record<string, Record<string, unknown>>;

interface TaskOption {
  label: string;
  key: string;
  value: unknown;
}

export interface OutputOrOptions {
  format: OutputFormat;
  given: readonly TaskOption[];
}

export const noTaskOptions: OutputOrOptions = { format: 'table', given: [] };

/** `key=value` for all tasks, `label.key=value` for one. */
const OPTION = /^(?:([^.=]+)\.)?([^=]+)=(.*)$/s;

/** For commander: one value of `-o`, with those before it. */
export function outputOrOption(text: string, before: OutputOrOptions): OutputOrOptions {
  const [, label = 'defaults', key, value] = OPTION.exec(text) ?? [];
  if (key !== undefined && value !== undefined)
    return { ...before, given: [...before.given, { label, key, value: jsonValue(value) }] };
  if (isOneOf(outputFormats, text)) return { ...before, format: text };
  throw new InvalidArgumentError(`Expected key=value, label.key=value, or one of ${outputFormats.join(', ')}.`);
}

/** The options of a launch, as a request has them. The last of several values of one key counts. */
export function taskOptionsOf(given: readonly TaskOption[]): TaskOptions {
  const labels = new Set(given.map(({ label }) => label));
  const ofLabel = (wanted: string) =>
    Object.fromEntries(given.filter(({ label }) => label === wanted).map(({ key, value }) => [key, value]));
  return Object.fromEntries([...labels].map((label) => [label, ofLabel(label)]));
}
