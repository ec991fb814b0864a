/** Windows: the times at which changes may begin. */
import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { closeAndReload, DialogButton } from '../../parts/dialog-button.tsx';
import { inShort } from '../../parts/in-short.ts';
import { LiveContent } from '../../parts/live-content.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Until } from '../../parts/time.tsx';
import { WindowForm } from './window-form.tsx';

type Window = GetAnswer<'/windows'>[number];

const MAX_WINDOWS = 500;

export function WindowList() {
  const live = useLive('windows', () => client.get('/windows', { query: { sort: 'name', $top: MAX_WINDOWS } }));
  return (
    <LiveContent live={live}>
      {({ body }) => (
        <>
          <p class="actions">
            <WindowDialog window={null} reload={live.reload} />
          </p>
          <DataTable
            label="Windows"
            rows={body}
            keyOf={({ id }) => id}
            empty="No window: rollouts begin at any time."
            columns={[
              { title: 'name', cell: ({ name }) => inShort(name) },
              { title: 'now', cell: (window) => <OpenState window={window} /> },
              {
                title: 'open',
                cell: ({ spans }) => spans.map((span) => <div key={spanText(span)}>{spanText(span)}</div>),
              },
              { title: 'zone', cell: ({ zone }) => zone },
              {
                title: 'closed',
                cell: ({ closed }) => (closed.length === 0 ? null : countText(closed.length, 'time')),
              },
              { title: 'actions', cell: (window) => <WindowActions window={window} reload={live.reload} /> },
            ]}
          />
        </>
      )}
    </LiveContent>
  );
}

const spanText = ({ days, from, to }: Window['spans'][number]): string => `${days.join(', ')} ${from} – ${to}`;

function OpenState({ window: { open, closesAt = null, next } }: { window: Window }) {
  if (open)
    return (
      <>
        <StatePill of="open" />
        {closesAt !== null && (
          <>
            , closes <Until at={closesAt} />
          </>
        )}
      </>
    );
  return (
    <span>
      closed
      {next !== null && (
        <>
          , opens <Until at={next.opensAt} />
        </>
      )}
    </span>
  );
}

/** @param window null: a new one */
const WindowDialog = ({ window, reload }: { window: Window | null; reload: () => void }) => (
  <NeedsRight owner={null} group="fleet">
    <DialogButton
      text={window === null ? 'New window' : 'Change'}
      title={window === null ? 'New window' : `Change window ${inShort(window.name)}`}
    >
      {(close) => <WindowForm window={window} cancel={close} done={closeAndReload(close, reload)} />}
    </DialogButton>
  </NeedsRight>
);

function WindowActions({ window, reload }: { window: Window; reload: () => void }) {
  const { id, name } = window;
  const remove = () => client.remove('/windows/:id', { params: { id } }).then(reload);
  return (
    <span class="actions">
      <WindowDialog window={window} reload={reload} />
      <NeedsRight owner={null} group="fleet">
        <RemoveButton what={`window ${inShort(name)}`} run={remove}>
          <p>A window that a rollout or a schedule names cannot be deleted.</p>
        </RemoveButton>
      </NeedsRight>
    </span>
  );
}
