/** A hook as its pages show it. */
import type { GetAnswer } from '../../../client/requests.ts';

export type ShownHook = GetAnswer<'/hooks'>[number];
export type ShownHookFilter = ShownHook['filters'][number];
