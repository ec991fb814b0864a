/** The accounts of a BMC (DSP0266, 13.3; AccountService, ManagerAccount). */
import { type Ask, type Json, linkIn, membersOf, SERVICE_ROOT, unsupportedBy } from './service.ts';

export async function accountServiceOf(ask: Ask) {
  const path = linkIn((await ask({ method: 'GET', path: SERVICE_ROOT })).AccountService);
  if (path !== undefined) return ask({ method: 'GET', path });
  throw unsupportedBy('the BMC has no AccountService');
}

/** The collection of accounts. */
export async function accountsOf(ask: Ask): Promise<{ path: string; accounts: Json[] }> {
  const path = linkIn((await accountServiceOf(ask)).Accounts);
  if (path === undefined) throw unsupportedBy('the BMC names no Accounts');
  return { path, accounts: await membersOf(ask, path) };
}
