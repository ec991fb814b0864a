/** Why a node has its SKU: the rules of every SKU, one by one. */

import { lackedRight, mayOperateSite } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import type { SkuVerdicts } from '../../data/matching-nodes.ts';
import { useOfNode } from '../../data/node-records.ts';
import { LiveContent } from '../../parts/live-content.tsx';
import { RuleVerdictTable } from '../../parts/rule-verdicts.tsx';

const MAX_SKUS = 200;

interface NodeSkuProps {
  id: string;
  sku: string | null;
}

/** The request is a POST, so it needs the right to change. */
export function NodeSku(props: NodeSkuProps) {
  return mayOperateSite.value ? (
    <Verdicts {...props} />
  ) : (
    <p class="quiet">{lackedRight('components', 'POST', null)}</p>
  );
}

function Verdicts({ id, sku }: NodeSkuProps) {
  const read = async () => {
    const { body, total } = await client.post('/skus/match', { query: { $top: MAX_SKUS }, body: { nodeId: id } });
    return { verdicts: body as SkuVerdicts, total };
  };
  const live = useOfNode('sku', id, read);
  return (
    <LiveContent live={live}>
      {({ verdicts: { skus, sku: should }, total = skus.length }) => (
        <>
          <p>
            {should === sku
              ? 'If several SKUs match, the one with more rules is chosen, then the older one.'
              : 'The node is about to get another SKU.'}
          </p>
          {skus.length === 0 && <p class="quiet">There are no SKUs.</p>}
          {skus
            .toSorted(
              (a, b) => Number(b.id === should) - Number(a.id === should) || Number(b.matched) - Number(a.matched),
            )
            .map(({ id: skuId, name, matched, rules }) => (
              <details key={skuId} open={skuId === should}>
                <summary>
                  {skuId === should ? '✓ ' : ''}
                  {name} {skuId === should ? 'is its SKU' : matched ? 'matches too' : missedRules(rules)}
                </summary>
                <p>
                  <a href={`/ui/skus/${encodeURIComponent(skuId)}`}>Open {name}</a>
                </p>
                <RuleVerdictTable verdicts={rules} />
              </details>
            ))}
          {total > skus.length && <p class="quiet">{`The first ${skus.length} of ${total} SKUs.`}</p>}
        </>
      )}
    </LiveContent>
  );
}

const missedRules = (rules: SkuVerdicts['skus'][number]['rules']): string =>
  `does not match: ${rules.filter(({ passed }) => !passed).length} of ${rules.length} rules fail`;
