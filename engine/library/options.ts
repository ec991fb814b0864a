import type { Graph, Json } from './types.ts';
export declare function resolve(
  graph: Graph,
  label: string,
  request: Json,
  input: unknown,
  scope: Json,
): { options: Json; timeoutMs: number | null };
