/** The name, the type, the SKU and the tags of a node. */
import { useSignal } from '@preact/signals';
import { client } from '../../data/daemon-client.ts';
import type { ShownNode } from '../../data/node-records.ts';
import { useSkuNames } from '../../data/sku-names.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CopyableText } from '../../parts/copyable.tsx';
import { ErrorText } from '../../parts/error-text.tsx';
import { Heading } from '../../parts/heading.tsx';
import { inShort } from '../../parts/in-short.ts';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { Problem } from '../../parts/problem.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Ago } from '../../parts/time.tsx';

/** Identifiers, and tags. */
const MAX_SHOWN = 50;

interface NodeHeadProps {
  node: ShownNode;
  reload: () => void;
}

export function NodeHead({ node, reload }: NodeHeadProps) {
  const { id, name, type, sku, identifiers, updatedAt, error, health, held } = node;
  const skuNames = useSkuNames();
  return (
    <>
      <Heading>{inShort(name)}</Heading>
      <p>
        <CopyableText text={id} /> {type},{' '}
        {sku === null ? (
          <span class="quiet">without a SKU</span>
        ) : (
          <a href={`/ui/skus/${encodeURIComponent(sku)}`}>{skuNames.value.get(sku) ?? sku.slice(0, 8)}</a>
        )}{' '}
        (<a href={`/ui/nodes/${encodeURIComponent(id)}?tab=sku`}>why</a>), <StatePill of={health} />{' '}
        <a href={`/ui/nodes/${encodeURIComponent(id)}?tab=health`}>reports</a>
        {held.length > 0 && (
          <>
            ,{' '}
            <a href={`/ui/nodes/${encodeURIComponent(id)}?tab=holds`}>
              <StatePill of="held" text={`held: ${held.join(', ')}`} />
            </a>
          </>
        )}
        , updated <Ago at={updatedAt} />
      </p>
      {identifiers.length > 0 && (
        <p>
          {identifiers.slice(0, MAX_SHOWN).map((one) => (
            <CopyableText key={one} text={one} short={40} />
          ))}
          {identifiers.length > MAX_SHOWN && `and ${identifiers.length - MAX_SHOWN} more`}
        </p>
      )}
      {error !== undefined && (
        <p class="problem">
          The last discovery failed: <ErrorText error={error} />
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
        {tags.slice(0, MAX_SHOWN).map((tag) => (
          <li key={tag}>
            <a href={`/ui/nodes?${new URLSearchParams({ tag })}`}>{inShort(tag)}</a>
            <NeedsRight>
              <button type="button" aria-label={`Remove the tag ${inShort(tag)}`} onClick={() => void remove(tag)}>
                ×
              </button>
            </NeedsRight>
          </li>
        ))}
      </ul>
      {tags.length > MAX_SHOWN && <span class="quiet">and {tags.length - MAX_SHOWN} more</span>}
      {tags.length === 0 && <span class="quiet">no tags</span>}
      <NeedsRight>
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
      </NeedsRight>
      <Problem error={problem.value} />
    </div>
  );
}
