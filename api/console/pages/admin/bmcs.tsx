/** The BMCs and PDUs that were sent commands lately. */
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { BmcTable } from '../../parts/bmc-table.tsx';
import { LiveContent } from '../../parts/live-content.tsx';

export function BmcsTab() {
  const live = useLive(
    'bmcs',
    () => client.get('/bmcs', { query: { $top: 1_000 } }),
    ({ type }) => type === 'graph',
  );
  const closeCircuit = (id: string) => client.remove('/bmcs/:id/circuit', { params: { id } }).then(live.reload);
  return (
    <LiveContent live={live}>
      {({ body, total = 0 }) => (
        <>
          <BmcTable bmcs={body} closeCircuit={closeCircuit} hasNodes />
          {total > body.length && (
            <p class="quiet">
              The first {body.length} of {total}
            </p>
          )}
        </>
      )}
    </LiveContent>
  );
}
