/** The views of SKUs and tags. */
import type { SkuRecord } from '../../engine/api-port/index.ts';
import { skuRecord, tagRecord } from '../../engine/api-port/skus.ts';
import { redactAll } from './common.ts';
import { projection } from './projection.ts';

export const tagView = projection(tagRecord);

/** null is left out. */
export const skuView = projection(skuRecord, {
  discoveryGraphName: ({ discoveryGraphName: name }: SkuRecord) => name ?? undefined,
  discoveryGraphOptions: ({ discoveryGraphOptions: options }: SkuRecord) => redactAll(options) ?? undefined,
  packInfo: ({ packInfo }: SkuRecord) => packInfo ?? undefined,
});
