/** The result of a discovery. */

export interface DiscoveryOutcome {
  /** The id of the node's SKU. */
  sku: string | null;
  /** The SKU's graph to run on the node now. */
  graphName: string | null;
  graphOptions: Record<string, unknown>;
}

/** Why a discovery failed, as shown in the node's record. */
export interface NodeError {
  code: string;
  message: string;
}

/** Maximum characters of a message in a context. */
const MESSAGE = 4_096;

/** Returns the code and message of anything thrown, for a graph's context. */
export function errorOf(thrown: unknown): NodeError {
  const { code, message } = (thrown ?? {}) as Partial<NodeError>;
  return { code: code ?? 'TASK_FAILED', message: (message ?? '').slice(0, MESSAGE) };
}
