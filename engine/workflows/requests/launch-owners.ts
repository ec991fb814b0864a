/**
 * LaunchOwners: the owner of the node that a launch would take. A workflow has the owner that its node had, and keeps it.
 *
 * 1. A launch by a member of a team, and each child below it, takes nodes of this team only. Others do not exist for it.
 * 2. The owner is read before the node is claimed, and again if the node has a mark: it may have changed hands in between
 *    (`inventory/teams/owner-changes.ts`).
 */
import type { StartCommand } from '../../durable/actors/messages.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { unknownNode } from './node-claim.ts';

interface OwnerReads {
  nodes: { ownerOf(id: string): Promise<{ owner: string | null } | undefined> };
  /** Whether a node may have an owner. */
  areAny(): Promise<boolean>;
}

/** `team`: that of the member who launches; absent: a user of the whole site. */
type OwnedLaunch = Pick<StartCommand, 'node' | 'team'>;

export class LaunchOwners {
  readonly #port: OwnerReads;

  constructor(port: OwnerReads) {
    this.#port = port;
  }

  /** @param named as the request names the node @throws NodewrightError NOT_FOUND for a node that is not of the member's team */
  async of({ node, team }: OwnedLaunch, named: string | null = node): Promise<Pick<StartCommand, 'owner' | 'team'>> {
    const owner = await this.#ownerOf(node);
    if (team === undefined) return owner === null ? {} : { owner };
    if (owner !== team) throw unknownNode(named ?? '');
    return { owner, team };
  }

  /** @throws NodewrightError CONFLICT, NOT_FOUND when the node has another owner than the launch has read */
  async checkAgain(start: Pick<StartCommand, 'node' | 'owner' | 'team'>): Promise<void> {
    const { owner } = await this.of(start);
    if (owner === start.owner) return;
    throw new NodewrightError('CONFLICT', `the node ${start.node} changed hands; launch again if that is still wanted`);
  }

  async #ownerOf(node: string | null): Promise<string | null> {
    if (node === null || !(await this.#port.areAny())) return null;
    return (await this.#port.nodes.ownerOf(node))?.owner ?? null;
  }
}
