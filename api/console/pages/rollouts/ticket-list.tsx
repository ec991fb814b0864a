/** Tickets: plans that need the approval of another user. */

import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import type { GetAnswer } from '../../../client/requests.ts';
import { session } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { CopyableText } from '../../parts/copyable.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { Field } from '../../parts/field.tsx';
import { Form, fieldText } from '../../parts/form.tsx';
import { GraphLink, NodeLink } from '../../parts/links.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { ShortText } from '../../parts/short-text.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Ago, Until } from '../../parts/time.tsx';

type Ticket = GetAnswer<'/tickets'>[number];
type Command = 'approve' | 'reject' | 'withdraw';

const MAX_TICKETS = 200;
/** Nodes and drives of a ticket that are shown. */
const SUBJECTS_SHOWN = 50;

export function TicketList() {
  const read = () => client.get('/tickets', { query: { sort: '-createdAt', $top: MAX_TICKETS } });
  const live = useLive('tickets', read, ({ type }) => type === 'ticket');
  return (
    <LiveContent live={live}>
      {({ body }) => (
        <DataTable
          label="Tickets"
          rows={body}
          keyOf={({ id }) => id}
          empty="No ticket. A launch that needs the approval of another user asks for one."
          columns={[
            { title: 'ticket', cell: ({ id }) => <CopyableText text={id} /> },
            { title: 'status', cell: ({ status }) => <StatePill of={status} /> },
            { title: 'graph', cell: ({ graph }) => <GraphLink name={graph} /> },
            { title: 'destroys', cell: (ticket) => <Subjects ticket={ticket} /> },
            { title: 'by', cell: ({ requestedBy }) => requestedBy ?? <span class="quiet">unknown</span> },
            { title: 'asked', cell: ({ createdAt }) => <Ago at={createdAt} /> },
            {
              title: 'approvals',
              cell: ({ approvals, needed }) => (
                <>
                  {approvals.length} of {needed.approvals}{' '}
                  <ShortText text={approvals.map(({ by }) => by ?? 'unknown').join(', ')} />
                </>
              ),
            },
            { title: 'actions', cell: (ticket) => <TicketActions ticket={ticket} reload={live.reload} /> },
          ]}
        />
      )}
    </LiveContent>
  );
}

function Subjects({ ticket: { subjects } }: { ticket: Ticket }) {
  const drives = subjects.reduce((sum, subject) => sum + subject.drives.length, 0);
  const nodes = countText(subjects.length, 'node');
  return (
    <details>
      <summary>{drives === 0 ? nodes : `${countText(drives, 'drive')} on ${nodes}`}</summary>
      <ul>
        {subjects.slice(0, SUBJECTS_SHOWN).map((subject) => (
          <li key={subject.node}>
            <NodeLink id={subject.node} />
            {subject.drives.map(({ name, serial }) => (
              <div key={name}>
                {name} <code>{serial ?? 'without a serial number'}</code>
              </div>
            ))}
          </li>
        ))}
      </ul>
      {subjects.length > SUBJECTS_SHOWN && <p class="quiet">and {subjects.length - SUBJECTS_SHOWN} more</p>}
    </details>
  );
}

function TicketActions({ ticket, reload }: { ticket: Ticket; reload: () => void }) {
  const { status, requestedBy, expiresAt } = ticket;
  if (status !== 'requested' && status !== 'approved') return null;
  const isOwn = requestedBy === session.value?.username;
  const ownReason = isOwn ? 'It is your own: another user approves it.' : undefined;
  const props = { ticket, reload };
  return (
    <span class="actions">
      {status === 'requested' && (
        <NeedsRight group="tickets">
          <Decision {...props} command="approve" text="Approve…" kind="main" reason={ownReason} />
          <Decision {...props} command="reject" text="Reject…" kind="danger" />
        </NeedsRight>
      )}
      {isOwn && <Decision {...props} command="withdraw" text="Withdraw…" />}
      <span class="quiet">
        ends <Until at={expiresAt} />
      </span>
    </span>
  );
}

interface DecisionProps {
  ticket: Ticket;
  reload: () => void;
  command: Command;
  text: string;
  kind?: 'main' | 'danger';
  reason?: string | undefined;
}

function Decision({ ticket, reload, command, text, kind, reason }: DecisionProps) {
  const decide = async (form: FormData, close: () => void) => {
    const note = fieldText(form, 'note');
    const body = { command, ...(note !== undefined && { note }) };
    await client.put('/tickets/:id/action', { params: { id: ticket.id }, body });
    close();
    reload();
  };
  return (
    <DialogButton
      text={text}
      label={`${text.slice(0, -1)} the ticket ${ticket.id}`}
      title={`${text.slice(0, -1)} ${ticket.graph}?`}
      kind={kind}
      reason={reason}
    >
      {(close) => (
        <Form action={text.slice(0, -1)} submit={(form) => decide(form, close)} cancel={close}>
          <Subjects ticket={ticket} />
          <Field label="Note" hint="It is in the audit log and in the certificate of an erase">
            <input name="note" maxLength={1_000} />
          </Field>
        </Form>
      )}
    </DialogButton>
  );
}
