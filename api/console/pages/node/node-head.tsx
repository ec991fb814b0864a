/** The name, the type, the SKU and the tags of a node. */
import { useSignal } from '@preact/signals';
import { mayOperate } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import type { ShownNode } from '../../data/node-records.ts';
import { useSkuNames } from '../../data/sku-names.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Ago } from '../../parts/time.tsx';

interface NodeHeadProps {
  node: ShownNode;
  reload: () => void;
}

export function NodeHead({ node, reload }: NodeHeadProps) {
  const { id, name, type, sku, identifiers, updatedAt, error } = node;
  const skuNames = useSkuNames();
  return (
    <>
      <h1>{name}</h1>
      <p>
        <Copyable text={id} /> {type},{' '}
        {sku === null ? (
          <span class="quiet">without a SKU</span>
        ) : (
          <a href={`/ui/skus/${encodeURIComponent(sku)}`}>{skuNames.value.get(sku) ?? sku.slice(0, 8)}</a>
        )}{' '}
        (<a href={`/ui/nodes/${encodeURIComponent(id)}?tab=sku`}>why</a>), updated <Ago at={updatedAt} />
      </p>
      {identifiers.length > 0 && (
        <p>
          {identifiers.map((one) => (
            <Copyable key={one} text={one} short={40} />
          ))}
        </p>
      )}
      {error !== undefined && (
        <p class="problem">
          The last discovery failed: {error.message} <code>{error.code}</code>
        </p>
      )}
      <Tags node={node} reload={reload} />
    </>
  );
}

function Tags({ node: { id, tags }, reload }: NodeHeadProps) {
  const added = useSignal('');
  const problem = useSignal<unknown>(undefined);
  const add = async () => {
    await client.patch('/nodes/:identifier/tags', { params: { identifier: id }, body: { tags: [added.value] } });
    added.value = '';
    reload();
  };
  const remove = async (tag: string) => {
    problem.value = undefined;
    await client.remove('/nodes/:identifier/tags/:tag', { params: { identifier: id, tag } }).catch((error: unknown) => {
      problem.value = error;
    });
    reload();
  };
  return (
    <div class="tags">
      <ul aria-label="Tags">
        {tags.map((tag) => (
          <li key={tag}>
            <a href={`/ui/nodes?${new URLSearchParams({ tag })}`}>{tag}</a>
            {mayOperate.value && (
              <button type="button" aria-label={`Remove the tag ${tag}`} onClick={() => void remove(tag)}>
                ×
              </button>
            )}
          </li>
        ))}
      </ul>
      {tags.length === 0 && <span class="quiet">no tags</span>}
      {mayOperate.value && (
        <>
          <input
            aria-label="New tag"
            placeholder="new tag"
            autoComplete="off"
            spellcheck={false}
            value={added.value}
            onInput={({ currentTarget }) => {
              added.value = currentTarget.value.trim();
            }}
          />
          <ActionButton run={add} disabled={added.value === ''}>
            Add tag
          </ActionButton>
        </>
      )}
      <Problem error={problem.value} />
    </div>
  );
}
