/** The room for events of southbound senders: on the disk, and among the events that wait for the broker. */

import type { Outbox } from '../../events/broker/outbox.ts';
import type { SouthboundQuotas } from '../../platform/config/southbound-quotas.ts';
import { needRoom } from '../../platform/store/room.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { MIB } from '../../vocabulary/units.ts';

export class SouthboundRoom {
  readonly #dataDir: string;
  readonly #quotas: Pick<SouthboundQuotas, 'eventsWaiting' | 'diskReserve'>;
  readonly #outbox: Pick<Outbox, 'backlog'>;

  constructor(
    dataDir: string,
    quotas: Pick<SouthboundQuotas, 'eventsWaiting' | 'diskReserve'>,
    outbox: Pick<Outbox, 'backlog'>,
  ) {
    this.#dataDir = dataDir;
    this.#quotas = quotas;
    this.#outbox = outbox;
  }

  /** @throws NodewrightError TOO_MANY_REQUESTS while too many events wait; or when the disk is nearly full */
  async need(): Promise<void> {
    const { eventsWaiting, diskReserve } = this.#quotas;
    needRoom(this.#dataDir, Math.ceil(diskReserve / MIB));
    const waiting = await this.#outbox.backlog();
    if (waiting < eventsWaiting) return;
    const problem = `${waiting} events wait for the broker, expected fewer than ${eventsWaiting}`;
    throw new NodewrightError('TOO_MANY_REQUESTS', `${problem}; try again when the broker is back`);
  }
}
