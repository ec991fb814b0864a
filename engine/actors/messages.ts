/** What actors can be told. Every message may arrive twice; the second time it changes nothing. */
import type { FlatError } from '../define/errors.ts';

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
  createdAt: string;
}

/** What a workflow can be told. */
export type WorkflowMessage =
  | { type: 'work.done'; work: string; output: unknown; lane?: string; mail?: string }
  | { type: 'work.failed'; work: string; error: FlatError; lane?: string }
  /** `over`: the claim of a process or an agent that is gone, where the work may begin once more. */
  | { type: 'work.claim'; work: string; by: string; over?: string }
  /** Lets go all that waits for the release of the group. */
  | { type: 'release'; group: string }
  | { type: 'wake' }
  | { type: 'cancel' }
  /** No further step is taken before `unquarantine`, save a cancel. `error` says why. */
  | { type: 'quarantine'; error: FlatError }
  | { type: 'unquarantine' }
  | { type: 'progress'; taskId: string; value: number; maximum: number; description: string };

/** What a node's actor can be told. A waiter is `<workflow>/<work>`. */
export type NodeMessage =
  | { type: 'launch'; seed: Seed }
  | { type: 'cancel'; workflow: string }
  | { type: 'notify'; id: string; at: string; parameters: Record<string, unknown> }
  | { type: 'await'; waiter: string }
  | { type: 'release'; waiter: string; mail?: string }
  | { type: 'ended'; workflow: string }
  /** The node is to be removed. */
  | { type: 'retire' };
