/** What a discovery comes to. */

export interface Discovered {
  /** The id of the node's SKU. */
  sku: string | null;
  /** What the SKU wants run on the node now. */
  graphName: string | null;
  graphOptions: Record<string, unknown>;
}

/** Why a node could not be discovered, as its record shows it. */
export interface NodeError {
  code: string;
  message: string;
}

/** Characters of a message that a context keeps. */
const MESSAGE = 4_096;

/** What an error says, wherever it comes from, for a graph's context. */
export function errorOf(thrown: unknown): NodeError {
  const { code, message } = (thrown ?? {}) as Partial<NodeError>;
  return { code: code ?? 'TASK_FAILED', message: (message ?? '').slice(0, MESSAGE) };
}
