/** `nw teams`, `nw team`: the owners of nodes, and the users who have roles on their nodes only. */
import type { Command } from 'commander';
import type { GetAnswer } from '../../client/requests.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { nodeOf } from '../node-of.ts';
import { appendValue, count } from '../option-values.ts';
import { showList, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { inform, say } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';

type Team = GetAnswer<'/teams'>[number];

const columns: TableColumn<Team>[] = [
  { title: 'name', value: ({ name }) => name },
  { title: 'description', value: ({ description }) => description || null },
  { title: 'running at most', value: ({ quotas }) => quotas.runningWorkflows ?? null },
  { title: 'rollouts at most', value: ({ quotas }) => quotas.rollouts ?? null },
  { title: 'created', value: ({ createdAt }) => shownTime(createdAt), wide: true },
];

export function addTeamCommands(root: Command): void {
  connecting(root.command('teams')).description('lists teams, the owners of nodes').action(list);
  const team = root.command('team').description('a team, the owner of nodes');
  connecting(team.command('add <name>'))
    .description('creates a team')
    .option('--description <text>', 'what it is for')
    .action(add);
  connecting(team.command('quota <name> [workflows]'))
    .description('limits how many workflows run on its nodes at the same time: a number, or none')
    .option('--rollouts <limit>', 'how many rollouts of its members have not ended: a number, or none')
    .action(quota);
  connecting(team.command('remove <name>'))
    .description('deletes a team that owns nothing and that no user is bound to')
    .action(remove);
  connecting(team.command('own <team> <nodes...>'))
    .description('gives nodes to the team')
    .action((name: string, nodes: string[], options: ConnectionOptions) => assignNodes(name, nodes, options));
  connecting(team.command('disown <nodes...>'))
    .description('takes nodes from their teams')
    .action((nodes: string[], options: ConnectionOptions) => assignNodes(null, nodes, options));
  connecting(team.command('bind <team> <user>'))
    .description('gives a user a role on the nodes of the team')
    .option('--role <role>', 'role', 'Operator')
    .option('--graph <pattern>', 'only graphs of the name, * for any characters; may be repeated', appendValue)
    .option('--only', 'takes the role away that the user has on the whole site')
    .action(bind);
  connecting(team.command('unbind <team> <user>'))
    .description('takes all roles from a user that the user has on the nodes of the team')
    .action(unbind);
}

const list = (options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body, total } = await wholeList((query) => client.get('/teams', { query }));
    showList(body, columns, options.output, total);
  });

const add = (name: string, { description, ...options }: ConnectionOptions & { description?: string }): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.post('/teams', { body: { name, ...(description !== undefined && { description }) } });
    say(body.name);
  });

interface QuotaOptions extends ConnectionOptions {
  rollouts?: string;
}

/** Changes the limits that are given. */
const quota = (name: string, workflows: string | undefined, { rollouts, ...options }: QuotaOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body: team } = await client.get('/teams/:name', { params: { name } });
    const limits = Object.entries({ runningWorkflows: workflows, rollouts }).filter(([, limit]) => limit !== undefined);
    const others = Object.entries(team.quotas).filter(([key]) => limits.every(([changed]) => changed !== key));
    const added = limits.flatMap(([key, limit = 'none']) => (limit === 'none' ? [] : [[key, count(limit)]]));
    await client.patch('/teams/:name', {
      params: { name },
      body: { quotas: Object.fromEntries([...others, ...added]) },
    });
  });

const remove = (name: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, (client) => client.remove('/teams/:name', { params: { name } }));

const assignNodes = (owner: string | null, nodes: readonly string[], options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    for (const given of nodes) {
      const { id, name } = await nodeOf(client, given);
      await client.patch('/nodes/:identifier', { params: { identifier: id }, body: { owner } });
      inform(owner === null ? `${name} belongs to no team` : `${name} belongs to ${owner}`);
    }
  });

interface BindOptions extends ConnectionOptions {
  role: string;
  graph?: string[];
  only?: boolean;
}

const bind = (team: string, name: string, { role, graph, only, ...options }: BindOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body: user } = await client.get('/users/:name', { params: { name } });
    const others = (user.bindings ?? []).filter((one) => one.team !== team || one.role !== role);
    const bindings = [...others, { role, team, ...(graph && { graphs: graph }) }];
    await client.patch('/users/:name', { params: { name }, body: { bindings, ...(only === true && { role: null }) } });
    inform(`${name} has the role ${role} on the nodes of ${team}`);
  });

const unbind = (team: string, name: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body: user } = await client.get('/users/:name', { params: { name } });
    const bindings = (user.bindings ?? []).filter((one) => one.team !== team);
    await client.patch('/users/:name', { params: { name }, body: { bindings } });
    inform(`${name} has no role on the nodes of ${team}`);
  });
