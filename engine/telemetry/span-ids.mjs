/**
 * The ids of spans, for the SDK that the operator loads (`api/TRACES.md`): a span of a workflow gets an id that every
 * daemon can derive, all others a random one. This file is plain JavaScript, because it is loaded before the daemon. It is
 * loaded apart from the daemon's bundle, so both find the next id at one place of the process.
 */
import { randomBytes } from 'node:crypto';

const NEXT = Symbol.for('nodewright.next-span-id');

/** An IdGenerator of OpenTelemetry. */
export const spanIds = {
  generateTraceId: () => randomBytes(16).toString('hex'),
  generateSpanId: () => globalThis[NEXT] ?? randomBytes(8).toString('hex'),
};

/** Starts one span under this id, if the SDK uses `spanIds`. */
export function withSpanId(id, start) {
  globalThis[NEXT] = id;
  try {
    return start();
  } finally {
    globalThis[NEXT] = undefined;
  }
}
