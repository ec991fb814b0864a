/** Tells the SDK of the operator which id the next span has; one that uses `span-ids.mjs` obeys. */
const NEXT = Symbol.for('nodewright.next-span-id');

/** @param start starts one span, synchronously */
export function withSpanId<T>(id: string, start: () => T): T {
  Reflect.set(globalThis, NEXT, id);
  try {
    return start();
  } finally {
    Reflect.set(globalThis, NEXT, undefined);
  }
}
