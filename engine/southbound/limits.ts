/**
 * The quotas of the southbound endpoints, as the configuration file states them. Each is checked by the part that owns
 * what it limits; a request over a quota is answered 429 or 413 and changes nothing.
 */
import { Type } from 'typebox';

const count = (minimum: number, maximum: number) => Type.Optional(Type.Integer({ minimum, maximum }));

const KIB = 1024;
const MIB = KIB * KIB;

export const southboundQuotas = Type.Object(
  {
    requestsPerMinute: count(60, 100_000_000),
    requestsAtOnce: count(10, 1_000_000),
    bodyBytesAtOnce: count(16 * MIB, 16 * KIB * MIB),
    nodesPerMinute: count(1, 1_000_000),
    nodes: count(1, 10_000_000),
    catalogSources: count(1, 10_000),
    catalogBytes: count(MIB, 16 * KIB * MIB),
    broadcasts: count(1, 10_000),
    eventsWaiting: count(1_000, 100_000_000),
    diskReserve: count(64 * MIB, 1_024 * KIB * MIB),
  },
  { additionalProperties: false },
);

export interface SouthboundQuotas {
  /** Per sender address, and in each daemon. */
  readonly requestsPerMinute: number;
  readonly requestsAtOnce: number;
  /** Of bodies that are read and handled at one time, in each daemon. */
  readonly bodyBytesAtOnce: number;
  /** Nodes that requests for a profile create, in each daemon; and how many of those there may be in all. */
  readonly nodesPerMinute: number;
  readonly nodes: number;
  /** Per node, of what is kept. */
  readonly catalogSources: number;
  readonly catalogBytes: number;
  /** Broadcasts that have not reached every node yet. */
  readonly broadcasts: number;
  /** Events in the outbox, where they stay while the broker is away. */
  readonly eventsWaiting: number;
  /** Bytes that stay free on the disk of the data directory. */
  readonly diskReserve: number;
}

/** Each default, with its reason. A rack behind one proxy is one address. */
export const quotaDefaults: SouthboundQuotas = {
  // A thousand alerts a second from one address, and as much again for a burst.
  requestsPerMinute: 120_000,
  // Each of a thousand agents waits in a long poll.
  requestsAtOnce: 4_000,
  // Forty results of the largest size, or the catalogs of a few hundred nodes.
  bodyBytesAtOnce: 384 * MIB,
  // Two racks that are switched on together.
  nodesPerMinute: 600,
  // More than most sites have; a site with more says so.
  nodes: 20_000,
  // The shipped collectors have six.
  catalogSources: 64,
  // Ten of each shipped source, at the largest sizes seen in the field.
  catalogBytes: 128 * MIB,
  broadcasts: 100,
  // Alerts at their full rate for a quarter of an hour without a broker.
  eventsWaiting: 1_000_000,
  // Twice as much as users of the interface need.
  diskReserve: 128 * MIB,
};
