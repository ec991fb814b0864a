/**
 * The needs and provisions of a task on its node: data, so that a launch that cannot succeed is rejected before it
 * starts. The names are those of the task's options.
 */
import type { JsonObject } from '../vocabulary/json.ts';
import type { ObmService } from './node.ts';

export interface Need {
  /** An obm of this service, or any. */
  obm: ObmService | 'any';
  /** The option with the name of the service. */
  named?: string;
  /** Options that replace the obm if all of them are given. */
  unless?: readonly string[];
}

/** An obm that the node has after the task has succeeded. */
export interface Provision {
  obm: ObmService;
}

/** The options that define the child graph of the task. */
export interface ChildOptions {
  graph: string;
  options: string;
  node: string;
}

/** Splits the options of a child graph as RackHD has them: `target` among the labels is the node to run on, or null. */
export function withTarget({ target, ...options }: JsonObject): { options: JsonObject; node: string | undefined } {
  if (typeof target === 'string') return { options, node: target };
  return { options: target == null ? options : { ...options, target }, node: undefined };
}
