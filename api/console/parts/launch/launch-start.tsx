/** The last step of a launch, always in view: its confirmation and its button, or the request for an approval. */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { isDestructive } from '../../../client/destruction.ts';
import type { TaskOptions } from '../../../client/launch-options.ts';
import { client } from '../../data/daemon-client.ts';
import type { LaunchNode, PlanOfNode } from '../../data/launch-node.ts';
import { requestTicket, useLaunchTickets } from '../../data/launch-tickets.ts';
import { PLANS } from '../../data/plan-data.ts';
import { needsTicket } from '../../data/plan-rows.ts';
import { noteLaunch } from '../../data/recent-graphs.ts';
import { ticketFor } from '../../data/ticket-match.ts';
import { ActionButton } from '../action-button.tsx';
import { ConfirmName, isTyped, unconfirmedReason } from '../confirm-name.tsx';
import { BatchBounds, type BoundTexts, boundsIn } from './batch-bounds.tsx';
import { ApprovalNote, LaunchFoot } from './launch-foot.tsx';

export interface LaunchStartProps {
  graph: string;
  nodes: readonly LaunchNode[];
  options: TaskOptions;
  plans: readonly PlanOfNode[] | undefined;
  warning: string | undefined;
  /** The plans are those of these options. */
  isReady: boolean;
  /** Why it cannot start; undefined: it can, perhaps with a ticket. */
  reason: string | undefined;
}

export function LaunchStart({ graph, nodes, options, plans = [], warning, reason }: LaunchStartProps) {
  const { route } = useLocation();
  const typed = useSignal('');
  const bounds = useSignal<BoundTexts>({ concurrency: '', maxFailures: '' });
  const isTicketed = needsTicket(plans);
  const tickets = useLaunchTickets(graph, isTicketed);
  const ticket = isTicketed ? ticketFor(tickets.value.value ?? [], nodes, plans) : undefined;
  const [node] = nodes;
  const isMany = nodes.length > 1;
  const destroys = plans.some(({ plan }) => isDestructive(plan));
  // Nodes of further SKUs are not planned for.
  const isConfirmed = warning !== undefined || plans.length >= PLANS || destroys;
  const name = isMany ? String(nodes.length) : (node?.name ?? graph);
  const words = isMany ? `the number of nodes (${name})` : undefined;
  const start = async () => {
    const body = { name: graph, options, ...(ticket !== undefined && { ticket: ticket.id }) };
    const address = await launch(body, nodes, bounds.value);
    noteLaunch(graph);
    route(address);
  };
  const request = () => requestTicket({ graph, nodes, options }).then(tickets.reload);
  const unconfirmed = isConfirmed && !isTyped(typed, name) ? unconfirmedReason(name, words) : undefined;
  return (
    <>
      {isMany && <BatchBounds texts={bounds} />}
      {isTicketed && ticket === undefined ? (
        <LaunchFoot reason={reason} note="Another user has to approve this launch first.">
          <ActionButton kind="main" run={request} reason={reason}>
            Request approval
          </ActionButton>
        </LaunchFoot>
      ) : ticket?.status === 'requested' ? (
        <LaunchFoot reason={undefined} note={<ApprovalNote ticket={ticket} />}>
          <ActionButton run={start} reason="Another user has to approve it first.">
            Launch
          </ActionButton>
        </LaunchFoot>
      ) : (
        <LaunchFoot
          reason={reason ?? (unconfirmed && 'Not confirmed yet.')}
          note={ticket && <ApprovalNote ticket={ticket} />}
        >
          {isConfirmed && (
            <ConfirmName
              name={name}
              typed={typed}
              hint={warning ?? (destroys ? 'It destroys data.' : 'Not every node was planned for.')}
              {...(words !== undefined && { words })}
            />
          )}
          <ActionButton kind={isConfirmed ? 'danger' : 'main'} run={start} reason={reason ?? unconfirmed}>
            {isMany ? `Launch on ${nodes.length} nodes` : 'Launch'}
          </ActionButton>
        </LaunchFoot>
      )}
    </>
  );
}

interface LaunchBody {
  name: string;
  options: TaskOptions;
  ticket?: string;
}

/** @returns the address of its page @throws RequestError */
async function launch(body: LaunchBody, nodes: readonly LaunchNode[], bounds: BoundTexts): Promise<string> {
  const [node] = nodes;
  if (nodes.length > 1) {
    const batch = { ...body, nodes: nodes.map(({ id }) => id), ...boundsIn(bounds) };
    return `/ui/batches/${(await client.post('/nodes/workflows', { body: batch })).body.id}`;
  }
  if (node === undefined) return workflowAddress((await client.post('/workflows', { body })).body.id);
  const params = { identifier: node.id };
  return workflowAddress((await client.post('/nodes/:identifier/workflows', { params, body })).body.id);
}

const workflowAddress = (id: string): string => `/ui/workflows/${encodeURIComponent(id)}`;
