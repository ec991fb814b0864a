/** Why a node waits in rollouts: its targets that have not begun, and what each waits for. */
import type { RolloutWait } from '../../api-port/diagnosis.ts';
import { now } from '../../platform/lib/clock.ts';
import { byIds } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import type { StoredTicket } from '../approvals/stored-ticket.ts';
import type { TicketChanges } from '../approvals/ticket-changes.ts';
import type { StoredWindow } from '../windows/window-requests.ts';
import { windowState } from '../windows/window-state.ts';
import { isRolloutOver } from './rollout-state.ts';
import type { StoredRollout, StoredTarget } from './stored-rollout.ts';

interface WaitsScope {
  rollouts: Pick<Collection<StoredRollout>, 'find'>;
  stored: Pick<Collection<StoredTarget>, 'find'>;
  windows: Pick<Collection<StoredWindow>, 'get'>;
  tickets: Pick<TicketChanges, 'get'>;
}

/** Waits of one node that are shown. */
const SHOWN_WAITS = 100;

export async function rolloutWaits(scope: WaitsScope, node: string): Promise<RolloutWait[]> {
  const waiting = { node, status: { $in: ['pending', 'waiting'] } };
  const targets = await scope.stored.find(waiting, { limit: SHOWN_WAITS });
  const rollouts = await byIds(
    scope.rollouts,
    targets.map(({ rollout }) => rollout),
  );
  const byId = new Map(rollouts.map((rollout) => [rollout.id, rollout]));
  const waits = targets.map(async (target) => {
    const rollout = byId.get(target.rollout);
    if (rollout === undefined || rollout.isDraft || isRolloutOver(rollout.state)) return [];
    const { id, name } = rollout;
    const { phase, sequence, status } = target;
    const reason = reasonOf(target, rollout);
    const detail = `waits in the rollout ${name}, phase ${phase}: ${await textOf(scope, reason, target, rollout)}`;
    return [{ id, name, phase, sequence, status, reason, detail }];
  });
  return (await Promise.all(waits)).flat();
}

/** The reason of the whole rollout comes first: a target that also waits for its node is not tried before. */
function reasonOf({ phase, status, reason }: StoredTarget, { state }: StoredRollout): RolloutWait['reason'] {
  if (state.status === 'paused' && state.reason !== null) return state.reason.kind;
  if (phase !== state.phase) return 'phase';
  return status === 'waiting' && (reason === 'busy' || reason === 'held') ? reason : 'limit';
}

async function textOf(
  { windows, tickets }: WaitsScope,
  kind: RolloutWait['reason'],
  { phase }: StoredTarget,
  { state, window, ticket }: StoredRollout,
): Promise<string> {
  const { reason } = state;
  if (kind === 'limit') return 'its limits leave no room yet';
  if (kind === 'busy') return 'a workflow holds the node';
  if (kind === 'held') return 'the node is held';
  if (kind === 'user') return `${reason?.by ?? 'a user'} paused it`;
  if (kind === 'gate') return `its gate ${reason?.gate?.index ?? 0} tripped`;
  if (kind === 'ticket') return ticketText(ticket, ticket === null ? undefined : await tickets.get(ticket));
  if (kind === 'window') return windowText(window, window === null ? undefined : await windows.get(window));
  return reason?.kind === 'phase'
    ? `phase ${state.phase + 1} waits for the command advance`
    : `phase ${state.phase} has not ended; this is phase ${phase}`;
}

/** One that was rejected, withdrawn or has expired is never approved any more. */
function ticketText(id: string | null, ticket: StoredTicket | undefined): string {
  if (ticket?.status === 'requested') return `its ticket ${id} is not approved yet`;
  if (ticket?.status === 'approved' || ticket?.status === 'used')
    return `its ticket ${id} is approved, and it continues in a moment`;
  return `its ticket ${id} is ${ticket?.status ?? 'missing'}; cancel the rollout, and create it again with another ticket`;
}

function windowText(id: string | null, window: StoredWindow | undefined): string {
  if (window === undefined) return `its window ${id} does not exist`;
  const { open, next } = windowState(window, now());
  const opening = next === null ? 'and does not open again' : `and opens at ${next.opensAt}`;
  return `its window ${window.name} ${open ? 'closes too early' : 'is closed'}, ${opening}`;
}
