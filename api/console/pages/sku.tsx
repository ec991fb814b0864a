/** One SKU: its rules, what a change of them would do, its pack and its nodes. `/skus/new` creates one. */
import { useRoute } from 'preact-iso';
import { countText } from '../../../engine/vocabulary/count-texts.ts';
import { lackedRight, mayOperateSite } from '../data/current-user.ts';
import { useNodeList } from '../data/node-list.ts';
import { nodeCountOf, type ShownSku, useSkus } from '../data/sku-records.ts';
import { CopyableText } from '../parts/copyable.tsx';
import { Heading } from '../parts/heading.tsx';
import { GraphLink } from '../parts/links.tsx';
import { LiveContent } from '../parts/live-content.tsx';
import { NoRecord } from '../parts/no-record.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Ago } from '../parts/time.tsx';
import { RemoveSku } from './skus/remove-sku.tsx';
import { ruleText } from './skus/rule-text.ts';
import { SkuEditor } from './skus/sku-editor.tsx';
import { SkuNodes } from './skus/sku-nodes.tsx';
import { SkuPack } from './skus/sku-pack.tsx';
import '../styles/skus.css';
import { NeedsRight } from '../parts/needs-right.tsx';

export function SkuPage() {
  useNodeList();
  const { id = '' } = useRoute().params;
  const live = useSkus();
  return (
    <LiveContent live={live}>
      {(skus) => {
        const sku = skus.find((one) => one.id === id);
        if (id === 'new') return <NewSku skus={skus} reload={live.reload} />;
        return sku === undefined ? (
          <NoRecord what="SKU" id={id} list={{ path: '/ui/skus', title: 'All SKUs' }} />
        ) : (
          <OneSku sku={sku} skus={skus} reload={live.reload} />
        );
      }}
    </LiveContent>
  );
}

function NewSku({ skus, reload }: Omit<OneSkuProps, 'sku'>) {
  return (
    <>
      <Heading>New SKU</Heading>
      {mayOperateSite.value ? (
        <SkuEditor sku={undefined} skus={skus} reload={reload} />
      ) : (
        <p class="quiet">{lackedRight('components', 'POST', null)}</p>
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
  const { id, name, discoveryGraphName: graph, createdAt, updatedAt, rules } = sku;
  const count = nodeCountOf(id);
  const edits = {
    name: 'edit',
    title: 'Edit and try',
    content: () => <SkuEditor key={updatedAt} sku={sku} skus={skus} reload={reload} />,
  };
  return (
    <>
      <Heading>{name}</Heading>
      <p>
        <CopyableText text={id} /> created <Ago at={createdAt} />, changed <Ago at={updatedAt} />,{' '}
        <a href={`/ui/nodes?${new URLSearchParams({ sku: id })}`}>
          {count === undefined ? 'its nodes' : countText(count, 'node')}
        </a>
        {graph !== undefined && (
          <>
            , discovery runs <GraphLink name={graph} />
          </>
        )}
      </p>
      <NeedsRight owner={null}>
        <RemoveSku id={id} name={name} count={count} />
      </NeedsRight>
      <Tabs
        label={`About ${name}`}
        tabs={[
          { name: 'rules', title: 'Rules', content: () => <Rules rules={rules} /> },
          ...(mayOperateSite.value ? [edits] : []),
          { name: 'pack', title: 'Pack', content: () => <SkuPack sku={sku} reload={reload} /> },
          { name: 'nodes', title: 'Nodes', content: () => <SkuNodes id={id} count={count} /> },
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
