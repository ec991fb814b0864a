/** The views of hooks and deliveries. */
import { deliveryRecord, hookRecord } from '../../engine/api-port/hooks.ts';
import type { HookRecord } from '../../engine/api-port/index.ts';
import { redactText } from '../../engine/vocabulary/conceal.ts';
import { projection } from './projection.ts';

/** Default values are omitted. */
export const hookView = projection(hookRecord, {
  url: ({ url }: HookRecord) => redactText(url),
  ca: ({ ca }: HookRecord) => ca ?? undefined,
  format: ({ format }: HookRecord) => format ?? undefined,
  rejectUnauthorized: ({ rejectUnauthorized }: HookRecord) => (rejectUnauthorized ? undefined : false),
});

export const deliveryView = projection(deliveryRecord);
