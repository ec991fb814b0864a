#!/usr/bin/env node
// Runs the command of `command-line.ts`; builds it first, if its sources have changed.
await import('./build.mjs');
await import('../node_modules/.cache/nodewright/command.mjs');
