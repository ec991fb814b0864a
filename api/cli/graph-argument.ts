/** The graph of a command for authors, and what these commands share. */
import { type AnyGraph, failOnStray, graphFrom, includedDefinitions, load } from '../../engine/kit/index.ts';
import { codeOf, messageOf } from '../../engine/vocabulary/thrown-values.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import type { OutputFormat } from './output.ts';
import { say } from './terminal.ts';

export interface GraphFlags {
  tasks?: string;
  output: OutputFormat;
}

/** A name of a graph, or its file. */
export async function argumentGraph(given: string, { tasks }: GraphFlags): Promise<AnyGraph> {
  if (!/^Graph\./.test(given)) return load(given, tasks === undefined ? {} : { tasks });
  await includedDefinitions();
  return graphFrom(given);
}

export const isJson = ({ output }: GraphFlags): boolean => output === 'json' || output === 'jsonl';

export const sayJson = (value: unknown, { output }: GraphFlags): void =>
  say(output === 'jsonl' ? JSON.stringify(value) : JSON.stringify(value, null, 2));

/** Wrong arguments are wrong usage; all else is a failure. */
export async function withUsage(work: () => Promise<void>): Promise<void> {
  try {
    await failOnStray(work);
  } catch (error) {
    if (codeOf(error) === 'INVALID') throw new CommandError(messageOf(error), EXIT.usage);
    throw error;
  }
}
