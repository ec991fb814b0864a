/** A request of an example, and the operation that it uses. */

export interface Step {
  method: string;
  path: string;
  body?: unknown;
  raw?: Buffer;
  headers?: Record<string, string>;
  token?: string;
}

/** `settled` resolves when the effects of a request are over, so that the next one finds the same state */
export type OperationExample = [operationId: string, step: Step, settled?: () => Promise<unknown>];
