/** The pack of a SKU. */
import { client } from '../../data/daemon-client.ts';
import type { ShownSku } from '../../data/sku-records.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CopyableText } from '../../parts/copyable.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { PackUpload } from './pack-upload.tsx';

interface SkuPackProps {
  sku: ShownSku;
  reload: () => void;
}

export function SkuPack({ sku: { id, packInfo }, reload }: SkuPackProps) {
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
          <CopyableText text={packInfo.sha256} short={16} /> {packInfo.description}
        </p>
      )}
      <NeedsRight owner={null}>
        <div class="actions">
          <PackUpload title="Upload a pack…" method="PUT" path="/skus/:id/pack" id={id} done={reload} />
          {packInfo !== undefined && (
            <ActionButton kind="danger" run={remove}>
              Delete the pack
            </ActionButton>
          )}
        </div>
      </NeedsRight>
    </>
  );
}
