/** The reasons for which no target of a rollout may begin: a ticket that is not approved, or a window without room. */
import { now } from '../../platform/lib/clock.ts';
import type { Collection } from '../../platform/store/port.ts';
import type { StoredWindow } from '../windows/window-requests.ts';
import { hasRoom } from '../windows/window-room.ts';
import type { RolloutsPort } from './rollout-requests.ts';
import type { RolloutBlock } from './rollout-state.ts';
import type { StoredRollout } from './stored-rollout.ts';

export interface BlocksScope {
  tickets: RolloutsPort['tickets'];
  windows: Pick<Collection<StoredWindow>, 'get'>;
  usualTimes: RolloutsPort['usualTimes'];
}

export class RolloutBlocks {
  readonly #port: BlocksScope;

  constructor(port: BlocksScope) {
    this.#port = port;
  }

  /** The window is read each time: a change counts immediately. Without its window nothing of the rollout begins. */
  async of(rollout: StoredRollout): Promise<RolloutBlock | undefined> {
    const { window: id, definitionHash, graph: graphName, owner } = rollout;
    if (!(await this.#port.tickets.take(rollout))) return 'ticket';
    if (id === null) return undefined;
    const window = await this.#port.windows.get(id);
    if (window === undefined) return 'window';
    const usual = await this.#port.usualTimes({ definitionHash, graphName }, owner);
    return hasRoom(window, usual.get(''), now()) ? undefined : 'window';
  }
}
