/** The names of SKUs by id. */
import { computed, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { client } from './daemon-client.ts';
import { useLive } from './live.ts';

/** SKUs that a daemon can have. */
const MAX_SKUS = 1_000;

export function useSkuNames(): ReadonlySignal<ReadonlyMap<string, string>> {
  const { value } = useLive('sku-names', readNames);
  return useMemo(() => computed(() => value.value ?? new Map()), [value]);
}

async function readNames(): Promise<ReadonlyMap<string, string>> {
  const { body } = await client.get('/skus', { query: { fields: 'name', $top: MAX_SKUS } });
  return new Map(body.map(({ id, name }) => [id, name]));
}
