/**
 * Changes of the owner of a node.
 *
 * 1. A workflow belongs to the owner that its node had when it was launched. So a node changes hands only while it is free.
 * 2. The owner is written first, then the actor of the node gets a mark, as by a hold: a launch that read the owner before has to
 *    read it again when it claims the node (`launch-owners.ts`), and is rejected. One that had claimed the node before the mark holds
 *    it: then the owner is written back, and the change is rejected.
 *
 * If the process dies after the owner was written and before that was answered, the node has the new owner, perhaps while a workflow
 * of the owner before runs or begins. Members see no workflow of another owner, not even there. A repetition of the change sets the
 * mark, and is answered when no such workflow runs.
 */
import { randomUUID } from 'node:crypto';
import type { NodeRecord } from '../../api-port/index.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';

export interface OwnedNodes {
  /** @returns undefined if there is no such node */
  ownerOf(identifier: string): Promise<{ id: string; owner: string | null } | undefined>;
  /** Writes the owner if it is still the one before. @returns undefined if it is not */
  setOwner(id: string, owner: string | null, before: string | null): Promise<NodeRecord | undefined>;
}

/** Has every later launch on the node read its owner. @returns the workflow that holds the node, and its owner; null: none does */
export type MarkOwned = (node: string, mark: string) => Promise<{ workflow: string; owner: string | null } | null>;

export class OwnerChanges {
  readonly #nodes: OwnedNodes;
  readonly #mark: MarkOwned;

  constructor(nodes: OwnedNodes, mark: MarkOwned) {
    this.#nodes = nodes;
    this.#mark = mark;
  }

  async change(node: string, owner: string | null): Promise<boolean> {
    const present = await this.#nodes.ownerOf(node);
    if (present === undefined) return false;
    const { id, owner: before } = present;
    if (before !== owner) await this.#write(id, owner, before);
    const holder = await this.#mark(id, randomUUID());
    // A launch may have read the new owner already.
    if (holder === null || holder.owner === owner) return true;
    await this.#nodes.setOwner(id, before, owner);
    throw nodeTaken(holder);
  }

  async #write(id: string, owner: string | null, before: string | null): Promise<void> {
    const earlier = await this.#mark(id, randomUUID());
    if (earlier !== null) throw nodeTaken(earlier);
    if ((await this.#nodes.setOwner(id, owner, before)) !== undefined) return;
    throw new NodewrightError('CONFLICT', `the node ${id} was changed at the same time; read it, then try again`);
  }
}

function nodeTaken({ workflow }: { workflow: string }): NodewrightError {
  const message = `the workflow ${workflow} is active on the node; wait for it, or cancel it, then change the owner`;
  return new NodewrightError('WORKFLOW_ACTIVE', message);
}
