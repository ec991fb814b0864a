/**
 * `-o` of commands that launch: a value with `=` is an option of the graph, any other the form of the result, as in
 * `nw run Graph.X node-1 -o disk=sda -o json`.
 */
import { InvalidArgumentError } from 'commander';
import { isOneOf } from '../../engine/vocabulary/one-of.ts';
import type { TaskOption } from '../client/launch-options.ts';
import { jsonValue } from './option-values.ts';
import { type OutputFormat, outputFormats } from './output.ts';

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
