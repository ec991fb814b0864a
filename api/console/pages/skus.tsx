/** The list of SKUs. */
import { useSignal } from '@preact/signals';
import { useNodeList } from '../data/node-list.ts';
import { nodeCountOf, type ShownSku, useSkus } from '../data/sku-records.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Heading } from '../parts/heading.tsx';
import { GraphLink } from '../parts/links.tsx';
import { LiveContent } from '../parts/live-content.tsx';
import { PackUpload } from './skus/pack-upload.tsx';
import { ruleText } from './skus/rule-text.ts';
import '../styles/skus.css';
import { LinkNeedingRight, NeedsRight } from '../parts/needs-right.tsx';

export function SkusPage() {
  useNodeList();
  const live = useSkus();
  const search = useSignal('');
  return (
    <>
      <Heading>SKUs</Heading>
      <p>
        A SKU is a kind of node, by rules on catalogs. If several match, the one with more rules is chosen, then the
        older one.
      </p>
      <NeedsRight owner={null}>
        <div class="actions">
          <LinkNeedingRight owner={null} href="/ui/skus/new">
            New SKU
          </LinkNeedingRight>
          <PackUpload title="Create a SKU from a pack…" method="POST" path="/skus/pack" done={live.reload} />
        </div>
      </NeedsRight>
      <label class="field">
        <span>Search in names and rules</span>
        <input
          type="search"
          onInput={({ currentTarget }) => {
            search.value = currentTarget.value.trim().toLowerCase();
          }}
        />
      </label>
      <LiveContent live={live}>
        {(skus) => (
          <SkuTable
            skus={skus.filter((sku) => searchedIn(sku).includes(search.value))}
            empty={skus.length === 0 ? NO_SKU : 'No SKU matches the search.'}
          />
        )}
      </LiveContent>
    </>
  );
}

const searchedIn = ({ name, rules }: ShownSku): string => [name, ...rules.map(ruleText)].join('\n').toLowerCase();

/** Rules that are shown of each. */
const RULES = 3;

const NO_SKU =
  'No SKU yet. A SKU is a kind of server: its rules match what the discovery found. Create one, or upload a pack of SKUs.';

function SkuTable({ skus, empty }: { skus: readonly ShownSku[]; empty: string }) {
  return (
    <DataTable
      label="SKUs"
      rows={skus}
      keyOf={({ id }) => id}
      empty={empty}
      columns={[
        { title: 'name', cell: ({ id, name }) => <a href={`/ui/skus/${encodeURIComponent(id)}`}>{name}</a> },
        {
          title: 'nodes',
          isNumber: true,
          cell: ({ id }) => <a href={`/ui/nodes?${new URLSearchParams({ sku: id })}`}>{nodeCountOf(id)}</a>,
        },
        { title: 'rules', cell: ({ rules }) => <RuleTexts rules={rules} /> },
        {
          title: 'graph',
          cell: ({ discoveryGraphName: graph }) => graph !== undefined && <GraphLink name={graph} />,
        },
        { title: 'pack', cell: ({ packInfo }) => packInfo && (packInfo.version ?? 'without a version') },
      ]}
    />
  );
}

function RuleTexts({ rules }: Pick<ShownSku, 'rules'>) {
  return (
    <ul class="rule-texts">
      {rules.slice(0, RULES).map((rule) => (
        <li key={JSON.stringify(rule)}>
          <code>{ruleText(rule)}</code>
        </li>
      ))}
      {rules.length > RULES && <li class="quiet">and {rules.length - RULES} more</li>}
    </ul>
  );
}
