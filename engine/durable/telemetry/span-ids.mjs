/**
 * The ids of spans, for the SDK that the operator loads (`docs/operate/traces.md`): a span of a workflow gets the id that the daemon
 * derived for it, any other a random one. This file is plain JavaScript, because it is loaded before the daemon, and not
 * from its bundle: the daemon leaves the id at a place of the process (`next-span-id.ts`).
 */
import { randomBytes } from 'node:crypto';

const NEXT = Symbol.for('nodewright.next-span-id');

/** An IdGenerator of OpenTelemetry. */
export const spanIds = {
  generateTraceId: () => randomBytes(16).toString('hex'),
  generateSpanId: () => globalThis[NEXT] ?? randomBytes(8).toString('hex'),
};
