/** BMCs with commands or failures. */
import type { Got } from '../../../client/requests.ts';
import { mayOperate } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Shown } from '../../parts/shown.tsx';
import { Time, Until } from '../../parts/time.tsx';

type Bmc = Got<'/bmcs'>[number];

export function BmcsTab() {
  const live = useLive(
    'bmcs',
    () => client.get('/bmcs', { query: { $top: 1_000 } }),
    ({ type }) => type === 'graph',
  );
  const wake = (id: string) => client.remove('/bmcs/:id/rest', { params: { id } }).then(live.reload);
  return (
    <Shown live={live}>
      {({ body, total = 0 }) => (
        <>
          <DataTable
            label="BMCs"
            rows={body}
            keyOf={({ id }) => id}
            empty="No BMC has commands or failures."
            columns={[
              { title: 'host', cell: ({ host }) => host },
              { title: 'running', cell: ({ running }) => running, isNumber: true },
              { title: 'waiting', cell: ({ waiting }) => waiting, isNumber: true },
              { title: 'failures in a row', cell: ({ failures }) => failures, isNumber: true },
              { title: 'rests', cell: (bmc) => <Rest bmc={bmc} wake={wake} /> },
              { title: 'last answer', cell: ({ lastAnswerAt }) => <Time at={lastAnswerAt} /> },
            ]}
          />
          {total > body.length && (
            <p class="quiet">
              The first {body.length} of {total}
            </p>
          )}
        </>
      )}
    </Shown>
  );
}

function Rest({ bmc: { id, restsUntil }, wake }: { bmc: Bmc; wake: (id: string) => Promise<void> }) {
  if (restsUntil === null) return <span class="quiet">no</span>;
  return (
    <span class="actions">
      <span>
        ends <Until at={restsUntil} />
      </span>
      {mayOperate.value && <ActionButton run={() => wake(id)}>Wake</ActionButton>}
    </span>
  );
}
