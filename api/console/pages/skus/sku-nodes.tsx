/** The first nodes of a SKU; all of them are in the list of nodes. */
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { LiveContent } from '../../parts/live-content.tsx';

const MAX_NODES = 100;

export function SkuNodes({ id, count }: { id: string; count: number | undefined }) {
  const query = { fields: 'id,name,type,tags', sort: 'name', $top: MAX_NODES };
  const read = async () => (await client.get('/skus/:id/nodes', { params: { id }, query })).body;
  const live = useLive(`nodes of ${id}`, read, ({ type, action }) => type === 'node' && action.startsWith('sku'));
  return (
    <LiveContent live={live}>
      {(nodes) => (
        <>
          <DataTable
            label="Nodes of the SKU"
            rows={nodes}
            keyOf={(one) => one.id}
            empty="No node has this SKU."
            columns={[
              { title: 'name', cell: (one) => <a href={`/ui/nodes/${one.id}`}>{one.name}</a> },
              { title: 'type', cell: ({ type }) => type },
              { title: 'tags', cell: ({ tags }) => tags.join(', ') },
            ]}
          />
          {count !== undefined && count > nodes.length && (
            <p>
              <a href={`/ui/nodes?${new URLSearchParams({ sku: id })}`}>All {count}</a>
            </p>
          )}
        </>
      )}
    </LiveContent>
  );
}
