/** Opens southbound access control, with the owners of addresses and the publication of rejections. */
import { randomUUID } from 'node:crypto';
import type { SouthboundQuotas } from '../config/southbound-quotas.ts';
import { NodewrightError } from '../define/errors.ts';
import { type Publication, publicationOf } from '../define/event.ts';
import type { LookupRequests } from '../nodes/lookups.ts';
import type { ObmRequests } from '../nodes/obm-requests.ts';
import { type AccessPort, type Rejected, SouthboundAccess } from '../southbound/node-access.ts';
import { needRoom } from '../store/room.ts';

export interface OpenSouthboundPort extends Pick<AccessPort, 'keys'> {
  config: { southboundKeys: AccessPort['mode']; southboundQuotas: SouthboundQuotas; dataDir: string };
  lookups: Pick<LookupRequests, 'at' | 'seenAt' | 'entered'>;
  obms: Pick<ObmRequests, 'at'>;
  outbox: { publish(publications: readonly Publication[]): Promise<void>; backlog(): Promise<number> };
  log: { warn(fields: object, message: string): void };
}

const MIB = 1024 * 1024;

export function openSouthbound({ config, keys, lookups, obms, outbox, log }: OpenSouthboundPort): SouthboundAccess {
  const { southboundKeys: mode, southboundQuotas, dataDir } = config;
  const { eventsWaiting, diskReserve } = southboundQuotas;
  return new SouthboundAccess({
    mode,
    keys,
    async ownersOf(address) {
      const [entered, hosts] = await Promise.all([lookups.at([address]), obms.at([address])]);
      return new Set([...entered.flatMap(({ node }) => node ?? []), ...hosts.map(({ nodeId }) => nodeId)]);
    },
    seenAt: (address) => lookups.seenAt(address),
    entered: (macs) => lookups.entered(macs),
    async needRoom() {
      needRoom(dataDir, Math.ceil(diskReserve / MIB));
      const waiting = await outbox.backlog();
      if (waiting < eventsWaiting) return;
      const found = `${waiting} events wait for the broker, expected fewer than ${eventsWaiting}`;
      throw new NodewrightError('TOO_MANY_REQUESTS', `${found}; try again when the broker is back`);
    },
    rejected(rejected) {
      log.warn(rejected, 'a southbound sender was refused');
      const event = rejected.node === '' ? [] : [eventOf(rejected)];
      outbox
        .publish(event)
        .catch((err) => log.warn({ err }, 'failed to publish the event of a rejected southbound request'));
    },
  });
}

/** Builds the event for listeners that watch the node; the reason contains no secret. */
const eventOf = ({ node, address, reason }: Rejected): Publication =>
  publicationOf({
    id: randomUUID(),
    version: '1.0',
    type: 'node',
    action: 'southbound.refused',
    severity: 'warning',
    typeId: node,
    nodeId: node,
    createdAt: new Date().toISOString(),
    data: { nodeId: node, address, reason },
  });
