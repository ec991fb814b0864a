/**
 * Limits the bodies that a process reads or handles concurrently, because each takes several times its length in
 * memory.
 *
 * 1. The weight of a body is its bytes, and more for each value: a list of empty objects takes twenty times its length.
 * 2. Users, log-ins, others without a token, and nodes have a pool each, so that none can starve another. A user or an address has
 *    a share of the pool.
 * 3. Bytes and values are taken as they arrive, so a slow sender holds little. A declared length without room is rejected before a
 *    byte is read. All is given back when the answer ends, or when the body is rejected.
 */
import type { Context } from 'koa';
import type { Endpoint, Engine } from '../../engine/api-port/index.ts';
import { AtOnce, senderGroup } from '../../engine/api-port/values.ts';
import { MIB } from '../../engine/vocabulary/units.ts';
import { TooManyRequests } from '../http/rejections.ts';
import type { Identity, Route } from '../http/route.ts';
import { clientAddress } from './client.ts';

/** Bytes that a value takes, its copies included. */
const VALUE = 50;
/** Weight of the bodies of users: a few of the largest. */
const USERS = 40 * MIB;
/** Senders without a token send little; their addresses cost them little too, so each has a small share. */
const STRANGERS = { all: 16 * MIB, each: 4 * MIB };
const LOG_INS = { all: 4 * MIB, each: MIB / 4 };
/** Retry-After in seconds: most bodies are handled within one. */
const SOON = 2;

/** Weight of a body that is in memory. */
export interface HeldBody {
  readonly weight: number;
  /** @throws TooManyRequests if there is no room for a body of the length */
  expect(bytes: number): void;
  /** @throws TooManyRequests */
  take(bytes: number, values: number): void;
  free(): void;
}

interface Limit {
  all: number;
  /** Maximum weight of one owner. */
  each: number;
}

class Pool {
  readonly #limit: Limit;
  readonly #all: AtOnce;
  readonly #each: AtOnce;

  constructor(limit: Limit) {
    this.#limit = limit;
    this.#all = new AtOnce(limit.all);
    this.#each = new AtOnce(limit.each);
  }

  /** @throws TooManyRequests */
  take(owner: string, weight: number): () => void {
    const own = this.#each.take(owner, weight);
    if (own === undefined) throw tooMany(`bodies of ${owner}`, this.#limit.each);
    const all = this.#all.take('', weight);
    if (all !== undefined)
      return () => {
        own();
        all();
      };
    own();
    throw tooMany('bodies of all senders', this.#limit.all);
  }
}

const tooMany = (whose: string, limit: number) =>
  new TooManyRequests(
    `The daemon handles ${whose} up to a weight of ${limit} at the same time (a byte weighs 1, a value ${VALUE} more); retry in ${SOON} s`,
    SOON,
  );

export class BodiesInHand {
  readonly #users: Pool;
  readonly #strangers = new Pool(STRANGERS);
  readonly #logIns = new Pool(LOG_INS);
  readonly #nodes: Pool;

  constructor({ bodyLimit, southboundQuotas }: Pick<Engine['config'], 'bodyLimit' | 'southboundQuotas'>) {
    // A body of any configured length fits.
    const sharedRoom = (all: number) => ({ all, each: 0.6 * all });
    this.#users = new Pool(sharedRoom(Math.max(USERS, 4 * bodyLimit)));
    this.#nodes = new Pool(sharedRoom(Math.max(southboundQuotas.bodyBytesAtOnce, 4 * bodyLimit)));
  }

  /** @param identity the user, if one is known. The body is held until the answer ends. */
  hold(ctx: Context, endpoint: Endpoint, { entry }: Pick<Route, 'entry'>, identity: Identity | undefined): HeldBody {
    const owner = identity
      ? `the user ${identity.username}`
      : `the address ${senderGroup(clientAddress(ctx, endpoint))}`;
    const held = heldIn(this.#poolOf(endpoint, entry !== undefined, identity), owner);
    ctx.res.once('close', held.free);
    return held;
  }

  #poolOf({ routers, authEnabled }: Endpoint, isLogIn: boolean, identity: Identity | undefined): Pool {
    if (routers === 'southbound-api-router') return this.#nodes;
    if (isLogIn) return this.#logIns;
    return identity || !authEnabled ? this.#users : this.#strangers;
  }
}

function heldIn(pool: Pool, owner: string): HeldBody {
  const releases: (() => void)[] = [];
  let isFree = false;
  let whole = 0;
  return {
    get weight() {
      return whole;
    },
    expect(bytes) {
      if (bytes > 0) pool.take(owner, bytes)();
    },
    take(bytes, values) {
      const weight = bytes + VALUE * values;
      if (weight > 0 && !isFree) releases.push(pool.take(owner, weight));
      whole += weight;
    },
    free() {
      isFree = true;
      for (const release of releases.splice(0)) release();
    },
  };
}
