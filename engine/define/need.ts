/**
 * What a task needs from its node, and what it leaves there: data, so that a launch that cannot work is refused before it
 * begins. The names are those of the task's options.
 */
import type { ObmService } from './node.ts';

export interface Need {
  /** An obm of that service, or any. */
  obm: ObmService | 'any';
  /** The option that names the service. */
  named?: string;
  /** Options that are used instead when all of them are given. */
  unless?: readonly string[];
}

/** What the node has when the task has succeeded. */
export interface Provision {
  obm: ObmService;
}

/** The options that say which graph the task runs as a child. */
export interface ChildOptions {
  graph: string;
  options: string;
  node: string;
}
