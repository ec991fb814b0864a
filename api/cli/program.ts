/** The tree of commands. Each file of `commands/` adds those of one subject. */
import type { Command } from 'commander';
import { commandTree, type Subject } from './command-tree.ts';
import { addAuthorCommands } from './commands/author.ts';
import { addBaselineCommands } from './commands/baselines.ts';
import { addBatchCommands } from './commands/batches.ts';
import { addBmcCommands } from './commands/bmcs.ts';
import { addBulkActionCommands } from './commands/bulk-actions.ts';
import { addCalendarCommand } from './commands/calendar.ts';
import { addCertificateCommands } from './commands/certificates.ts';
import { addCheckCommand } from './commands/check.ts';
import { addConsoleCommands } from './commands/console.ts';
import { addContextCommands } from './commands/contexts.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addHelpCommands } from './commands/doctor.ts';
import { addEventCommand } from './commands/events.ts';
import { addExplainCommand } from './commands/explain.ts';
import { addFailureCommands } from './commands/failures.ts';
import { addGraphCommands } from './commands/graphs.ts';
import { addHoldCommands } from './commands/holds.ts';
import { addHookCommands } from './commands/hooks.ts';
import { addKubernetesCommands } from './commands/kubernetes.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addNetBoxCommands } from './commands/netbox.ts';
import { addNodeCommands } from './commands/nodes.ts';
import { addPackCommands } from './commands/packs.ts';
import { addRehearsal } from './commands/rehearse.ts';
import { addRolloutCommands } from './commands/rollouts.ts';
import { addRuleCommands } from './commands/rules.ts';
import { addRunCommand } from './commands/run.ts';
import { addScheduleCommands } from './commands/schedules.ts';
import { addServeCommand } from './commands/serve.ts';
import { addSkuCommands } from './commands/skus.ts';
import { addStoreCommands } from './commands/store.ts';
import { addSupportCommand } from './commands/support.ts';
import { addTeamCommands } from './commands/teams.ts';
import { addTicketCommands } from './commands/tickets.ts';
import { addTwinCommand } from './commands/twin.ts';
import { addUserCommands } from './commands/users.ts';
import { addWatchCommand } from './commands/watch.ts';
import { addWhyCommand } from './commands/why.ts';
import { addWindowCommands } from './commands/windows.ts';
import { addWorkflowActions } from './commands/workflow-actions.ts';
import { addDiffCommand } from './commands/workflow-diff.ts';
import { addWorkflowCommands } from './commands/workflows.ts';

/** In the order of the help. */
export const subjects: readonly Subject[] = [
  ['serve', addServeCommand],
  ['login logout whoami context', addContextCommands],
  ['nodes node', addNodeCommands],
  ['holds hold', addHoldCommands],
  ['windows window', addWindowCommands],
  ['calendar', addCalendarCommand],
  ['schedules schedule', addScheduleCommands],
  ['rules rule', addRuleCommands],
  ['skus packs sku', addSkuCommands],
  ['baselines baseline', addBaselineCommands],
  ['bmcs bmc', addBmcCommands],
  ['console', addConsoleCommands],
  ['graphs graph', addGraphCommands],
  ['check', addCheckCommand],
  ['pack', addPackCommands],
  ['simulate test replay record', addAuthorCommands],
  ['run', addRunCommand],
  ['watch', addWatchCommand],
  ['ps workflow history', addWorkflowCommands],
  ['certificates certificate', addCertificateCommands],
  ['users user token', addUserCommands],
  ['teams team', addTeamCommands],
  ['why', addWhyCommand],
  ['explain', addExplainCommand],
  ['cancel pause resume retry-now release notify retry', addWorkflowActions],
  ['actions action', addBulkActionCommands],
  ['diff', addDiffCommand],
  ['failures failure', addFailureCommands],
  ['batches batch', addBatchCommands],
  ['rollouts rollout', addRolloutCommands],
  ['rehearse', addRehearsal],
  ['tickets ticket', addTicketCommands],
  ['events', addEventCommand],
  ['hooks hook', addHookCommands],
  ['backup export import keys audit', addStoreCommands],
  ['demo', addDemoCommand],
  ['twin', addTwinCommand],
  ['support', addSupportCommand],
  ['netbox', addNetBoxCommands],
  ['kubernetes', addKubernetesCommands],
  ['mcp', addMcpCommand],
  ['doctor completion', addHelpCommands],
];

/** @param word the first one of the command line */
export const program = (word?: string): Command =>
  commandTree('Workflows for bare metal: runs the daemon, and talks to it.', subjects, word);
