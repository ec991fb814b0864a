/** Keeps a team from being removed while something names it, so that a later team of its name owns nothing. */
import type { Users } from '../api-port/index.ts';
import type { Collection, Document } from '../platform/store/port.ts';
import type { Foundation } from './foundation.ts';
import type { Inventory } from './inventory.ts';
import type { openWorkflows } from './workflows.ts';

/** @param owned collections with the field `owner`, by the name of one */
export function addTeamUses(
  { config }: Pick<Foundation, 'config'>,
  { teams, storedNodes }: Pick<Inventory, 'teams' | 'storedNodes'>,
  owned: Readonly<Record<string, Pick<Collection<Document>, 'find'>>>,
  { storedBatches }: Pick<Awaited<ReturnType<typeof openWorkflows>>, 'storedBatches'>,
  users: Pick<Users, 'boundTo'>,
): void {
  teams.addUse(async (owner) => {
    const [node] = await storedNodes.find({ owner }, { limit: 1 });
    return node && `it owns the node ${node.id}`;
  });
  for (const [kind, stored] of Object.entries(owned))
    teams.addUse(async (owner) => {
      const [record] = await stored.find({ owner }, { limit: 1 });
      return record && `the ${kind} ${record.id} is its own`;
    });
  teams.addUse(async (team) => {
    const [batch] = await storedBatches.find({ team }, { limit: 1 });
    return batch && `the batch ${batch.id} is its own`;
  });
  teams.addUse(async (team) => {
    const user = await users.boundTo(team);
    return user && `the user ${user} is bound to it`;
  });
  teams.addUse(async (team) =>
    config.oidc?.roles.some((one) => one.team === team) ? 'oidc.roles of the configuration names it' : undefined,
  );
}
