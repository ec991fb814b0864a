/** Deletes a SKU, after its name was typed. */
import { useLocation } from 'preact-iso';
import { client } from '../../data/daemon-client.ts';
import { inShort } from '../../parts/in-short.ts';
import { RemoveButton } from '../../parts/remove-button.tsx';

interface RemoveSkuProps {
  id: string;
  name: string;
  /** Number of nodes. */
  count: number;
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
        {count} {count === 1 ? 'node gets' : 'nodes get'} another SKU, or none. Its pack is deleted too.
      </p>
    </RemoveButton>
  );
}
