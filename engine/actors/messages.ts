/** What actors can be told. Every message may arrive twice; the second time it changes nothing. */
import type { FlatError } from '../define/errors.ts';
import type { Publication } from '../define/event.ts';
import type { KnownBy } from '../define/known-by.ts';
import type { ObmCommand } from '../define/obm.ts';

/** What a workflow is made of; `create` turns it into a row, once. */
export interface Seed {
  id: string;
  graphName: string;
  definitionHash: string;
  /** The node it runs on, and the actor that hands it notifications (its own id when it has no node). */
  node: string | null;
  target: string;
  domain: string;
  /** The user who asked for it, or for the workflow whose child it is; null: nobody with a name did. */
  operator: string | null;
  options: Record<string, unknown>;
  /** Values for `{{ }}` that are fixed at the start: server, api, file, env, sku. */
  bindings: Record<string, unknown>;
  /** The call that waits for this workflow, when it is a child. */
  parent: { workflow: string; work: string } | null;
  /** Of a descendant: the workflow that began the tree, and how many parents are between. Absent for others. */
  root?: string;
  depth?: number;
  /** Whether `options` or `bindings` hold sealed values. Absent: an earlier version made it, with its secrets in the clear. */
  sealed?: boolean;
  createdAt: string;
}

/** What a workflow can be told. `knownBy`: how the agent was that has a command, or that says how it ended. */
export type WorkflowMessage =
  | { type: 'work.done'; work: string; output: unknown; lane?: string; mail?: string; knownBy?: KnownBy }
  | { type: 'work.failed'; work: string; error: FlatError; lane?: string; knownBy?: KnownBy }
  /** `over`: the claim of a process or an agent that is gone, where the work may begin once more. */
  | { type: 'work.claim'; work: string; by: string; over?: string; knownBy?: KnownBy }
  /** A command for the obm of a node is about to go out, from the act `work`, which the process `by` runs. */
  | { type: 'command.send'; work: string; by: string; id: string; node: string; command: ObmCommand }
  /** It certainly did not go out, or was not carried out. */
  | { type: 'command.unsent'; work: string; id: string }
  /** Lets go all that waits for the release of the group. */
  | { type: 'release'; group: string }
  | { type: 'wake' }
  | { type: 'cancel' }
  /** No further step is taken before `unquarantine`, save a cancel. `error` says why. */
  | { type: 'quarantine'; error: FlatError }
  | { type: 'unquarantine' }
  | { type: 'progress'; taskId: string; value: number; maximum: number; description: string };

/** One call, as its callback names it. */
export interface Place {
  workflow: string;
  label: string;
  /** Which call of the label, from 1 on. */
  visit: number;
}

/** A wait for a notification. */
export interface Waiter {
  /** `<workflow>/<work>` */
  waiter: string;
  /** Absent, and so is `visit`: an earlier version began the wait. */
  label?: string;
  visit?: number;
  /** It takes nothing but the callback of its call. */
  callbackOnly?: true;
}

/** A notification for a node. */
export interface Notice {
  id: string;
  at: string;
  parameters: Record<string, unknown>;
  /** The label that it is for; absent: any. */
  task?: string;
  /** The one call that it is for. */
  call?: Place;
  /** Of several with the same nonce one is taken. */
  nonce?: string;
}

/** What a node's actor can be told. A waiter is `<workflow>/<work>`. */
export type NodeMessage =
  | { type: 'launch'; seed: Seed }
  | { type: 'cancel'; workflow: string }
  /** `open`: the waits of the node, as the rows of its workflows have them. `announced`: for listeners, once it is taken. */
  | ({ type: 'notify'; open?: readonly Waiter[]; announced?: Publication } & Notice)
  | ({ type: 'await' } & Waiter)
  | { type: 'release'; waiter: string; mail?: string }
  | { type: 'ended'; workflow: string }
  /** The node is to be removed. */
  | { type: 'retire' };
