/** Deletes a SKU, after its name was typed. */
import { useLocation } from 'preact-iso';
import { countText, nounFor } from '../../../../engine/vocabulary/count-texts.ts';
import { client } from '../../data/daemon-client.ts';
import { inShort } from '../../parts/in-short.ts';
import { RemoveButton } from '../../parts/remove-button.tsx';

interface RemoveSkuProps {
  id: string;
  name: string;
  /** Number of nodes; undefined: not read yet. */
  count: number | undefined;
}

export function RemoveSku({ id, name, count }: RemoveSkuProps) {
  const { route } = useLocation();
  const remove = async () => {
    await client.remove('/skus/:id', { params: { id } });
    route('/ui/skus');
  };
  return (
    <RemoveButton what={`SKU ${inShort(name)}`} name={name} run={remove}>
      <p>
        {count === undefined ? 'Its nodes get' : `${countText(count, 'node')} ${nounFor(count, 'gets', 'get')}`} another
        SKU, or none. Its pack is deleted too.
      </p>
    </RemoveButton>
  );
}
