/**
 * The bytes of a body. A client with `Expect: 100-continue` waits with them until they are read (RFC 9110, 10.1.1): a request
 * that is rejected by its headers is answered before a byte of its body is sent.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Node.js itself would let the client send before the request is looked at. */
export function awaitContinue(req: IncomingMessage, res: ServerResponse): void {
  waiting.set(req, res);
}

/** Call once. The request is not destroyed when the reader stops, so that a rejection can still be sent. */
export function bodyParts(req: IncomingMessage): AsyncIterable<Uint8Array> {
  waiting.get(req)?.writeContinue();
  return req.iterator({ destroyOnReturn: false });
}
