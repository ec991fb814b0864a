/** Opens the rehearsals of a daemon. */
import type { RehearsalRecord } from '../api-port/rehearsals.ts';
import { RehearsalRequests, rehearsalSpec } from '../workflows/rehearsal/rehearsal-requests.ts';
import { rehearsedSite, type SiteEngine } from '../workflows/rehearsal/rehearsed-site.ts';
import type { Foundation } from './foundation.ts';

export async function openRehearsals({ store }: Foundation, site: SiteEngine): Promise<RehearsalRequests> {
  const stored = await store.collection<RehearsalRecord>(rehearsalSpec);
  return new RehearsalRequests(stored, (request) => rehearsedSite(site, request));
}
