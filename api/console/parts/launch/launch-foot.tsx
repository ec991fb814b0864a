/** The foot of a launch: its button stays in view, with the reason why it is disabled. */
import type { ComponentChildren } from 'preact';
import type { LaunchTicket } from '../../data/ticket-match.ts';
import { Sentence } from '../sentence.tsx';
import { Ago } from '../time.tsx';

interface LaunchFootProps {
  reason: string | undefined;
  /** A sentence beside the button. */
  note?: ComponentChildren;
  children: ComponentChildren;
}

export const LaunchFoot = ({ reason, note, children }: LaunchFootProps) => (
  <footer class="launch-foot">
    {children}
    {note !== undefined && <span>{note}</span>}
    {reason !== undefined && (
      <span class="quiet" role="status">
        <Sentence text={reason} />
      </span>
    )}
  </footer>
);

export function ApprovalNote({ ticket: { status, approvals, needed, createdAt } }: { ticket: LaunchTicket }) {
  const last = approvals.at(-1);
  const tickets = <a href="/ui/rollouts?tab=tickets">Tickets</a>;
  if (status === 'approved' && last !== undefined)
    return (
      <>
        Approved by {last.by ?? 'another user'} <Ago at={last.at} />: {tickets}
      </>
    );
  return (
    <>
      Approval requested <Ago at={createdAt} />, {approvals.length} of {needed.approvals} given: {tickets}
    </>
  );
}
