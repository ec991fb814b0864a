#!/usr/bin/env node
/** The command `nw` of the authors' kit (`api/build/kit.mjs`): what needs neither a daemon nor a machine of the twin. */
import { commandTree } from './command-tree.ts';
import { addCheckCommand } from './commands/check.ts';
import { addGraphTests } from './commands/graph-tests.ts';
import { runCommandLine } from './run-command-line.ts';

const description = 'Graphs for nodewright: checks, simulates and tests them, without a daemon.';

await runCommandLine(
  commandTree(description, [
    ['check', addCheckCommand],
    ['simulate test replay', (root) => addGraphTests(root)],
  ]),
);
