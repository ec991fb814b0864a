/** The two directions of an exchange with NetBox. Each is harmless to repeat. */
import { DAY_MS } from '../../../engine/vocabulary/units.ts';
import type { Client } from '../client.ts';
import { applyPull } from './apply-pull.ts';
import { writeJournal } from './journal-entries.ts';
import type { NetBox, NetBoxQuery } from './netbox-client.ts';
import { type PullOptions, pullPlan } from './pull-plan.ts';
import { applyPush, type PushOptions, pushPlan } from './push-plan.ts';
import { readDevices } from './read-devices.ts';
import { type SiteNode, siteNodes } from './site-nodes.ts';
import { pullRows, pushRows, type SyncRow } from './sync-report.ts';

export interface Sides {
  client: Client;
  netBox: NetBox;
  signal: AbortSignal;
}

export interface PullRequest extends PullOptions {
  filters: NetBoxQuery;
}

export interface PushRequest extends PushOptions {
  /** Whether each workflow that ended in the last day gets a journal entry. */
  journal: boolean;
}

/** @param isDry nothing is changed */
export async function pull({ client, netBox, signal }: Sides, { filters, ...options }: PullRequest, isDry = false) {
  const plan = await pullPlan(client, await readDevices(netBox, filters), options);
  return isDry ? pullRows(plan) : pullRows(plan, await applyPull(client, plan, signal));
}

/** @param nodes absent: all */
export async function push(
  { client, netBox, signal }: Sides,
  { journal, ...options }: PushRequest,
  nodes?: readonly SiteNode[],
): Promise<SyncRow[]> {
  const pushed = nodes ?? (await siteNodes(client));
  const plan = await pushPlan(client, netBox, pushed, options);
  const rejections = await applyPush(netBox, plan, signal);
  if (journal) {
    const since = new Date(Date.now() - DAY_MS).toISOString();
    const present = plan.flatMap(({ node, action }) => (action === 'skip' ? [] : [node]));
    await writeJournal(client, netBox, present, { since, origin: options.origin, signal });
  }
  return pushRows(plan, rejections);
}

/** Compares as a push does, and changes nothing. */
export async function dryPush({ client, netBox }: Sides, options: PushOptions): Promise<SyncRow[]> {
  return pushRows(await pushPlan(client, netBox, await siteNodes(client), options));
}
