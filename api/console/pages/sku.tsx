/** One SKU: its rules, what a change of them would do, its pack and its nodes. `/skus/new` creates one. */
import { useRoute } from 'preact-iso';
import { mayOperate } from '../data/current-user.ts';
import { client } from '../data/daemon-client.ts';
import { useLive } from '../data/live.ts';
import { useNodeList } from '../data/node-list.ts';
import { nodesBySku, type ShownSku, useSkus } from '../data/sku-records.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { GraphLink } from '../parts/links.tsx';
import { Shown } from '../parts/shown.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Time } from '../parts/time.tsx';
import { PackUpload } from './skus/pack-upload.tsx';
import { RemoveSku } from './skus/remove-sku.tsx';
import { ruleText } from './skus/rule-text.ts';
import { SkuEditor } from './skus/sku-editor.tsx';
import '../styles/skus.css';

export function SkuPage() {
  useNodeList();
  const { id = '' } = useRoute().params;
  const live = useSkus();
  return (
    <Shown live={live}>
      {(skus) => {
        const sku = skus.find((one) => one.id === id);
        if (id === 'new') return <NewSku skus={skus} reload={live.reload} />;
        return sku === undefined ? <NoSku id={id} /> : <OneSku sku={sku} skus={skus} reload={live.reload} />;
      }}
    </Shown>
  );
}

const NoSku = ({ id }: { id: string }) => (
  <>
    <h1>No such SKU</h1>
    <p>
      No SKU has the id {id}. <a href="/ui/skus">All SKUs</a>
    </p>
  </>
);

function NewSku({ skus, reload }: Omit<OneSkuProps, 'sku'>) {
  return (
    <>
      <h1>New SKU</h1>
      {mayOperate.value ? (
        <SkuEditor sku={undefined} skus={skus} reload={reload} />
      ) : (
        <p class="quiet">Your role may not create SKUs.</p>
      )}
    </>
  );
}

interface OneSkuProps {
  sku: ShownSku;
  skus: readonly ShownSku[];
  reload: () => void;
}

function OneSku({ sku, skus, reload }: OneSkuProps) {
  const { id, name, discoveryGraphName: graph, createdAt, updatedAt, rules, unsupported = [] } = sku;
  const count = nodesBySku.value.get(id) ?? 0;
  const edits = {
    name: 'edit',
    title: 'Edit and try',
    content: () => <SkuEditor key={updatedAt} sku={sku} skus={skus} reload={reload} />,
  };
  return (
    <>
      <h1>{name}</h1>
      <p>
        <Copyable text={id} /> created <Time at={createdAt} />, changed <Time at={updatedAt} />,{' '}
        <a href={`/ui/nodes?${new URLSearchParams({ sku: id })}`}>
          {count} {count === 1 ? 'node' : 'nodes'}
        </a>
        {graph !== undefined && (
          <>
            , discovery runs <GraphLink name={graph} />
          </>
        )}
      </p>
      {unsupported.map(({ path, message }) => (
        <p class="problem" key={path}>
          <code>{path}</code> {message}: the rule matches nothing.
        </p>
      ))}
      {mayOperate.value && <RemoveSku id={id} name={name} count={count} />}
      <Tabs
        label={`About ${name}`}
        tabs={[
          { name: 'rules', title: 'Rules', content: () => <Rules rules={rules} /> },
          ...(mayOperate.value ? [edits] : []),
          { name: 'pack', title: 'Pack', content: () => <Pack sku={sku} reload={reload} /> },
          { name: 'nodes', title: 'Nodes', content: () => <NodesOfSku id={id} count={count} /> },
        ]}
      />
    </>
  );
}

const Rules = ({ rules }: Pick<ShownSku, 'rules'>) => (
  <>
    <p class="quiet">All of them must match.</p>
    <ol>
      {rules.map((rule) => (
        <li key={JSON.stringify(rule)}>
          <code>{ruleText(rule)}</code>
        </li>
      ))}
    </ol>
  </>
);

function Pack({ sku: { id, packInfo }, reload }: Pick<OneSkuProps, 'sku' | 'reload'>) {
  const remove = async () => {
    await client.remove('/skus/:id/pack', { params: { id } });
    reload();
  };
  return (
    <>
      {packInfo === undefined ? (
        <p class="quiet">The SKU has no pack.</p>
      ) : (
        <p>
          Version {packInfo.version ?? 'unknown'}, {packInfo.size} bytes, SHA-256{' '}
          <Copyable text={packInfo.sha256} short={16} /> {packInfo.description}
        </p>
      )}
      {mayOperate.value && (
        <div class="actions">
          <PackUpload title="Upload a pack…" method="PUT" path="/skus/:id/pack" id={id} done={reload} />
          {packInfo !== undefined && (
            <ActionButton kind="danger" run={remove}>
              Delete the pack
            </ActionButton>
          )}
        </div>
      )}
    </>
  );
}

const NODES = 100;

function NodesOfSku({ id, count }: { id: string; count: number }) {
  const query = { fields: 'id,name,type,tags', sort: 'name', $top: NODES };
  const read = async () => (await client.get('/skus/:id/nodes', { params: { id }, query })).body;
  const live = useLive(`nodes of ${id}`, read, ({ type, action }) => type === 'node' && action.startsWith('sku'));
  return (
    <Shown live={live}>
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
          {count > nodes.length && (
            <p>
              <a href={`/ui/nodes?${new URLSearchParams({ sku: id })}`}>All {count}</a>
            </p>
          )}
        </>
      )}
    </Shown>
  );
}
