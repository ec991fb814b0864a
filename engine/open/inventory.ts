/** Opens everything about nodes that is not a workflow: records, SKUs, BMCs, interlocks and certificates. */

import { now } from '../lib/clock.ts';
import { Interlocks, interlockSpec, type StoredInterlock } from '../nodes/interlocks.ts';
import { nodeSpec } from '../nodes/node-requests.ts';
import { ObmDrivers } from '../obm/obm-drivers.ts';
import { PollerWork } from '../pollers/pollers.ts';
import { cipherOf } from '../secrets/secrets.ts';
import { signerOf } from '../secrets/signing.ts';
import type { ClassifiedNode } from '../skus/classifier.ts';
import { openSkus } from '../skus/skus.ts';
import { CertificateRequests, certificateSpec, type StoredCertificate } from '../workflows/certificates.ts';
import type { Foundation } from './foundation.ts';
import type { Edges } from './late-edges.ts';
import { openNodes } from './nodes.ts';
import { openSouthbound } from './southbound.ts';

export type Inventory = Awaited<ReturnType<typeof openInventory>>;

export async function openInventory(foundation: Foundation, edges: Edges) {
  const { config, log, store, queues, cluster, secret, vault, outbox, metrics, unsupported, failed } = foundation;
  const { publisher, pending, pendingAlerts, registration, storedPollers, keys, ...nodes } = await openNodes({
    store,
    outbox,
    encrypt: cipherOf(await secret('obms'), 'obms'),
    vault,
    quotas: config.southboundQuotas,
    keySecret: await secret('southbound-keys'),
    catalogAdded: edges.to('catalogAdded'),
    decommission: edges.to('decommission'),
    workflowsOn: edges.to('workflowsOn'),
    scheduled: edges.to('scheduled'),
    unscheduled: edges.to('unscheduled'),
    failed: (error) => failed('node events', error),
  });
  const skus = await openSkus({
    store,
    channel: queues.channel('skus'),
    cluster,
    nodes: await store.collection<ClassifiedNode>(nodeSpec),
    pending,
    publisher,
    catalogs: nodes.catalogs,
    publish: (publications) => outbox.publish(publications),
    moved: (action) => metrics.countMove(action),
    unsupported: (sku, violations) => unsupported({ sku }, violations),
    failed: (error) => failed('skus', error),
  });
  /** Returns the data of the node's latest catalog of the source. */
  const catalog = async (node: string, source: string) => (await nodes.catalogs.latestOf(node, source))?.data;
  /** Returns the names of the node's obm services. */
  const services = async (node: string) =>
    ((await nodes.obms.refs([node])).get(node) ?? []).map(({ service }) => service);
  const obms = new ObmDrivers({
    limits: config.obm,
    config: (node, service) => nodes.obms.config(node, service),
    services,
    addressOf: (mac) => nodes.lookups.addressOf(mac),
    failed: (error) => failed('obm sessions', error),
    now,
  });
  const pollers = new PollerWork({
    stored: storedPollers,
    queue: queues.queue('pollers'),
    cluster,
    pending: pendingAlerts,
    publisher,
    newsOf: (node, mark, signal) => obms.logOf(node, mark, signal),
    unsupported: (poller, violations) => unsupported({ poller }, violations),
    failed: (error) => failed('pollers', error),
  });
  const certificates = new CertificateRequests({
    stored: await store.collection<StoredCertificate>(certificateSpec),
    signer: await signerOf(await secret('certificates')),
    load: edges.to('loadWorkflow'),
    node: (id) => nodes.nodes.find(id),
    catalog,
  });
  const interlocks = new Interlocks(await store.collection<StoredInterlock>(interlockSpec));
  const southbound = openSouthbound({ config, keys, outbox, ...nodes, log });
  return {
    /** The requests, as the API has them. */
    nodes,
    publisher,
    registration,
    skus,
    catalog,
    services,
    obms,
    pollers,
    certificates,
    interlocks,
    southbound,
  };
}
