/** The firmware versions and BIOS settings that the nodes of each SKU must have. */
import { client } from '../data/daemon-client.ts';
import { useLive } from '../data/live.ts';
import { useSkuNames } from '../data/sku-names.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Heading } from '../parts/heading.tsx';
import { inShort } from '../parts/in-short.ts';
import { LiveContent } from '../parts/live-content.tsx';
import { LinkNeedingRight } from '../parts/needs-right.tsx';
import { Ago } from '../parts/time.tsx';
import { type Baseline, contentText } from './baselines/shown-baseline.ts';

const MAX_BASELINES = 1_000;

export function BaselinesPage() {
  const query = { sort: 'name', $top: MAX_BASELINES };
  const live = useLive('baselines', async () => (await client.get('/baselines', { query })).body);
  return (
    <>
      <Heading>Baselines</Heading>
      <p>
        The firmware versions and BIOS settings that the nodes of a SKU must have: by their BMCs, and in band by the
        agent. A baseline changes no node by itself.
      </p>
      <p class="actions">
        <LinkNeedingRight owner={null} group="fleet" href="/ui/baselines/new">
          New baseline
        </LinkNeedingRight>
      </p>
      <LiveContent live={live}>{(baselines) => <BaselineTable baselines={baselines} />}</LiveContent>
    </>
  );
}

function BaselineTable({ baselines }: { baselines: readonly Baseline[] }) {
  const skus = useSkuNames();
  return (
    <DataTable
      label="Baselines"
      rows={baselines}
      keyOf={({ id }) => id}
      empty="No baseline yet. A baseline has the firmware and the BIOS settings that the nodes of a SKU must have; create one to see which differ."
      columns={[
        {
          title: 'name',
          cell: ({ id, name }) => <a href={`/ui/baselines/${encodeURIComponent(id)}`}>{inShort(name)}</a>,
        },
        {
          title: 'SKU',
          cell: ({ sku }) => <a href={`/ui/skus/${encodeURIComponent(sku)}`}>{inShort(skus.value.get(sku) ?? sku)}</a>,
        },
        { title: 'content', cell: contentText },
        { title: 'changed', cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
        { title: 'by', cell: ({ createdBy }) => createdBy },
      ]}
    />
  );
}
