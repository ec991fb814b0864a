/**
 * The body of a request to a route: its sender is known, and his limits are, before it is read. A token may be in the body, so a
 * sender without one in the header or the query may send a little.
 */
import type { Context } from 'koa';
import type { Endpoint, Engine } from '../../engine/api-port/index.ts';
import type { Identity, Route } from '../http/route.ts';
import type { BodiesInHand, HeldBody } from './bodies-in-hand.ts';
import { type BodySize, readBody, turn } from './body.ts';

/** Bytes that a request may have without a token in header or query. */
const STRANGER_BYTES = 256 * 1_024;
/** Bytes and values of a body, unless its route has other limits. */
const BYTES = 256 * 1_024;
const VALUES = 20_000;

/** It is read once: the body in which the token was is the body of the request. */
interface RequestBody {
  ofStranger(): Promise<unknown>;
  of(identity: Identity | undefined): Promise<unknown>;
  /** Await it between two steps of the handling. */
  turn(): Promise<void> | undefined;
}

export function bodyOf(
  engine: Engine,
  endpoint: Endpoint,
  route: Route,
  inHand: BodiesInHand,
): (ctx: Context) => RequestBody {
  const { bodyLimit = BYTES, bodyValues = VALUES, bodyTypes } = route;
  const whole = { bytes: Math.min(bodyLimit, engine.config.bodyLimit), values: bodyValues };
  const little = { bytes: Math.min(whole.bytes, STRANGER_BYTES), values: Math.min(bodyValues, VALUES) };
  const isOpen = endpoint.routers === 'northbound-api-router' && route.resourceGroup === 'open';
  return (ctx) => {
    let body: Promise<unknown> | undefined;
    let held: HeldBody | undefined;
    async function read(limit: BodySize, identity?: Identity): Promise<unknown> {
      held = inHand.hold(ctx, endpoint, route, identity);
      let isKept = false;
      try {
        const found = await readBody(ctx, limit, held, bodyTypes);
        // Others are read for their token only.
        isKept = route.body !== undefined;
        return found;
      } finally {
        if (!isKept) held.free();
      }
    }
    return {
      ofStranger: async () => {
        if (route.upload) return {};
        body = read(little);
        return body;
      },
      of: (identity) => body ?? read(isOpen ? little : whole, identity),
      turn: () => held && turn(held),
    };
  };
}
