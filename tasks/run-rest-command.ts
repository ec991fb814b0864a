/**
 * Sends one HTTP request and returns the answer. Secrets in `headers`, `credential` and `body` are shown as REDACTED.
 * A request that may have been sent when its process died is repeated only if its method is idempotent: GET, HEAD, PUT
 * and DELETE. A POST or PATCH fails as interrupted. A graph's retry policy repeats a GET or HEAD after any
 * error but an answer 4xx (except 408 and 429), and another request only if no connection was made. A retry of the workflow
 * repeats a GET or HEAD without asking.
 *
 * Output: `{ statusCode, headers, body }`.
 */
import { defineTask, Type } from 'nodewright/define';
import { exchange, isRepeatable, restDefaults, restOptions } from '../engine/hardware/rest/exchange.ts';

export default defineTask({
  injectableName: 'Task.Run.Rest.Command',
  friendlyName: 'Send a REST request',
  recovery: 'once',
  readOnly: { method: ['GET', 'HEAD'] },
  optionsSchema: Type.Object(restOptions, { additionalProperties: false }),
  options: restDefaults,
  run: exchange,
  probe: async ({ input: { method } }) => ({ state: isRepeatable(method) ? 'never-started' : 'unknown' }),
});
