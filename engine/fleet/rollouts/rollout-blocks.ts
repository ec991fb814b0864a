/** The reasons for which no target of a rollout may begin: a window without room. */
import type { UsualMs } from '../../api-port/diagnosis.ts';
import { now } from '../../platform/lib/clock.ts';
import type { Collection } from '../../platform/store/port.ts';
import type { StoredWindow } from '../windows/window-requests.ts';
import { hasRoom } from '../windows/window-room.ts';
import type { RolloutBlock } from './rollout-state.ts';
import type { StoredRollout } from './stored-rollout.ts';

export interface BlocksScope {
  windows: Pick<Collection<StoredWindow>, 'get'>;
  usualTimes(version: { definitionHash: string; graphName: string }): Promise<ReadonlyMap<string, UsualMs>>;
}

export class RolloutBlocks {
  readonly #port: BlocksScope;

  constructor(port: BlocksScope) {
    this.#port = port;
  }

  /** The window is read each time: a change counts immediately. Without its window nothing of the rollout begins. */
  async of({ window: id, definitionHash, graph: graphName }: StoredRollout): Promise<RolloutBlock | undefined> {
    if (id === null) return undefined;
    const window = await this.#port.windows.get(id);
    if (window === undefined) return 'window';
    const usual = await this.#port.usualTimes({ definitionHash, graphName });
    return hasRoom(window, usual.get(''), now()) ? undefined : 'window';
  }
}
