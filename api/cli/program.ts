/** The tree of commands. Each file of `commands/` adds those of one subject. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
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
import { addTimeFormat } from './shown-time.ts';

const version = (): string =>
  (JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { version: string }).version;

export function program(): Command {
  const root = new Command('nw')
    .description('Workflows for bare metal: runs the daemon, and talks to it.')
    .version(version(), '-V, --version')
    .showHelpAfterError('Add --help for the options.')
    .showSuggestionAfterError()
    .exitOverride()
    .configureHelp({ sortSubcommands: false, showGlobalOptions: true })
    .addHelpText('after', exitCodes);
  addTimeFormat(root);
  addServeCommand(root);
  addContextCommands(root);
  addNodeCommands(root);
  addHoldCommands(root);
  addWindowCommands(root);
  addCalendarCommand(root);
  addScheduleCommands(root);
  addRuleCommands(root);
  addSkuCommands(root);
  addBaselineCommands(root);
  addBmcCommands(root);
  addConsoleCommands(root);
  addGraphCommands(root);
  addCheckCommand(root);
  addPackCommands(root);
  addAuthorCommands(root);
  addRunCommand(root);
  addWatchCommand(root);
  addWorkflowCommands(root);
  addCertificateCommands(root);
  addUserCommands(root);
  addTeamCommands(root);
  addWhyCommand(root);
  addExplainCommand(root);
  addWorkflowActions(root);
  addBulkActionCommands(root);
  addDiffCommand(root);
  addFailureCommands(root);
  addBatchCommands(root);
  addRolloutCommands(root);
  addRehearsal(root);
  addTicketCommands(root);
  addEventCommand(root);
  addHookCommands(root);
  addStoreCommands(root);
  addDemoCommand(root);
  addTwinCommand(root);
  addSupportCommand(root);
  addNetBoxCommands(root);
  addKubernetesCommands(root);
  addMcpCommand(root);
  addHelpCommands(root);
  return root;
}

const exitCodes = `
Exit codes: 0 succeeded, 1 failed, 2 wrong usage, 3 cancelled, 4 timed out, 130 interrupted.`;
