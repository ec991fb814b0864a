/** The ticket of a launch among those of the user. */
import { destroyedDrives } from '../../client/destruction.ts';
import type { GetAnswer } from '../../client/requests.ts';
import type { LaunchNode, PlanOfNode } from './launch-node.ts';

export type LaunchTicket = GetAnswer<'/tickets'>[number];

/** @returns the ticket, an approved one if there is one, that is for these nodes, and for the same options and drives */
export function ticketFor(
  tickets: readonly LaunchTicket[],
  nodes: readonly LaunchNode[],
  plans: readonly PlanOfNode[],
): LaunchTicket | undefined {
  const fitting = tickets.filter((ticket) => isFor(ticket, nodes, plans));
  return fitting.find(({ status }) => status === 'approved') ?? fitting[0];
}

function isFor({ kind, plan, subjects }: LaunchTicket, nodes: readonly LaunchNode[], plans: readonly PlanOfNode[]) {
  if (kind === 'rollout' || (kind === 'batch') !== nodes.length > 1) return false;
  const drivesByNode = new Map(subjects.map(({ node, drives }) => [node, drives]));
  if (kind === 'launch' && JSON.stringify(optionsOf(plan)) !== JSON.stringify(optionsOf(plans[0]?.plan))) return false;
  const isOfNodes = drivesByNode.size === nodes.length && nodes.every(({ id }) => drivesByNode.has(id));
  const isOfDrives = plans.every((planned) => {
    const drives = destroyedDrives(planned.plan).drives.map(({ name }) => name);
    return textOf(drives) === textOf((drivesByNode.get(planned.node?.id ?? '') ?? []).map(({ name }) => name));
  });
  return isOfNodes && isOfDrives;
}

const textOf = (names: readonly string[]): string => names.toSorted().join();

/** By task, as the daemon has checked them. */
const optionsOf = (plan: object | undefined) =>
  ((plan as { tasks?: { label: string; options: unknown }[] } | undefined)?.tasks ?? []).map(({ label, options }) => [
    label,
    options,
  ]);
