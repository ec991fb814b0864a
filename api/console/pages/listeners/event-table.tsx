/** Rows of events; each opens with all that it says. */
import { useSignal } from '@preact/signals';
import type { LogEvent } from '../../../client/follow-events.ts';
import { CopyableText } from '../../parts/copyable.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { inShort } from '../../parts/in-short.ts';
import { JsonTree } from '../../parts/json-tree.tsx';
import { NodeLink } from '../../parts/links.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Time } from '../../parts/time.tsx';
import { WindowedList } from '../../parts/windowed-list.tsx';
import { aboutEvent } from './event-buffer.ts';

export function EventTable({ events }: { events: readonly LogEvent[] }) {
  const open = useSignal<LogEvent | undefined>(undefined);
  return (
    <>
      <WindowedList
        label="Events, newest first"
        rows={events}
        keyOf={({ seq }) => String(seq)}
        empty="No event yet. They appear here as they happen."
        columns={[
          {
            title: 'no.',
            width: '6rem',
            card: 'fact',
            cell: (event) => (
              <button type="button" class="plain" onClick={() => (open.value = event)}>
                {event.seq}
              </button>
            ),
          },
          { title: 'at', width: '9rem', card: 'fact', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'event', width: '22%', card: 'name', cell: ({ type, action }) => `${type}.${action}` },
          {
            title: 'severity',
            width: '7rem',
            card: 'state',
            cell: ({ severity }) => <StatePill of={severity} />,
          },
          {
            title: 'node',
            width: '18%',
            card: 'fact',
            cell: ({ nodeId }) => nodeId !== null && <NodeLink id={nodeId} />,
          },
          {
            title: 'about',
            width: '30%',
            card: 'line',
            cell: (event) => aboutEvent(event) || inShort(event.typeId, 8),
          },
        ]}
      />
      {open.value !== undefined && (
        <Dialog title={`Event ${open.value.seq}`} close={() => (open.value = undefined)}>
          <p>
            <CopyableText text={open.value.id} short={36} />
          </p>
          <JsonTree label="Event" value={open.value} />
        </Dialog>
      )}
    </>
  );
}
