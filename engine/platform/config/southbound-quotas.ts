/**
 * Schema and defaults of the southbound quotas. Each quota is enforced by the component that owns the limited resource;
 * a request over a quota gets 429 or 413 and changes nothing.
 */
import { type Static, Type } from 'typebox';
import { KIB, MIB } from '../../vocabulary/units.ts';

const count = (minimum: number, maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum, description }));

export const southboundQuotas = Type.Object(
  {
    requestsPerMinute: count(
      60,
      100_000_000,
      'Requests of one sender address (IPv6: /64) to an endpoint of a daemon; all may come in one burst.',
    ),
    requestsAtOnce: count(
      10,
      1_000_000,
      'Concurrent requests of such a sender; an agent that waits for a command is one.',
    ),
    bodyBytesAtOnce: count(
      40 * MIB,
      16 * KIB * MIB,
      'Bytes of bodies that a daemon reads or handles at the same time, with 50 more for each value in them; one address has 60 %.',
    ),
    nodesPerMinute: count(
      1,
      1_000_000,
      'Nodes that a daemon registers by requests for a profile; one address has 60 %.',
    ),
    nodes: count(1, 10_000_000, 'Such nodes of all daemons that no user has changed yet (`PATCH /nodes/:id`).'),
    catalogSources: count(1, 10_000, 'Sources of the catalogs of a node; a user may post more.'),
    catalogBytes: count(MIB, 16 * KIB * MIB, 'Bytes of the stored catalogs of a node (413); a user may post more.'),
    broadcasts: count(1, 10_000, 'Broadcasts that have not reached every node.'),
    eventsWaiting: count(
      1_000,
      100_000_000,
      'Unpublished events of all daemons; beyond it southbound writes are rejected.',
    ),
    diskReserve: count(
      64 * MIB,
      1_024 * KIB * MIB,
      'Free bytes on the disk of `dataDir`; with less, southbound writes are rejected (503).',
    ),
  },
  {
    additionalProperties: false,
    description: 'Limits for senders on the network of the nodes ([quotas](../operate/security.md#quotas)).',
  },
);

export type SouthboundQuotas = Readonly<Required<Static<typeof southboundQuotas>>>;

/** Each default with its reason. A rack behind one proxy counts as one address. */
export const quotaDefaults: SouthboundQuotas = {
  // A thousand alerts a second from one address, twice that in a burst.
  requestsPerMinute: 120_000,
  // Each of a thousand agents waits in a long poll.
  requestsAtOnce: 4_000,
  // Two of the largest catalogs, or the usual ones of a hundred nodes; each takes several times its length in memory.
  bodyBytesAtOnce: 40 * MIB,
  // Two racks that are switched on together.
  nodesPerMinute: 600,
  // More than most sites have; larger sites raise it.
  nodes: 20_000,
  // The shipped collectors have six.
  catalogSources: 64,
  // Ten of each shipped source, at the largest sizes seen in the field.
  catalogBytes: 128 * MIB,
  broadcasts: 100,
  // Alerts at their full rate for a quarter of an hour without a broker.
  eventsWaiting: 1_000_000,
  // Twice what users of the northbound interface need.
  diskReserve: 128 * MIB,
};
