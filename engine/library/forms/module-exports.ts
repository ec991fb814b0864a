/**
 * The definition that a module exports: its default export. A drawn machine may be the only named export that is a
 * machine, as an editor exports it, and have the table of its tasks beside it: `export const tasks = { ... }`.
 */

import { Rejection } from '../options/rejection.ts';
import { isMachine } from './loaded-task.ts';

/** By machine: the export `tasks` of its module. */
const tables = new WeakMap<object, unknown>();

/** @throws Rejection if it is not clear which machine is meant */
export function definitionIn(module: Readonly<Record<string, unknown>>): unknown {
  const definition = module.default ?? onlyMachine(module);
  if (isMachine(definition) && module.tasks !== undefined) tables.set(definition, module.tasks);
  return definition;
}

function onlyMachine(module: Readonly<Record<string, unknown>>): unknown {
  const names = Object.keys(module).filter((name) => isMachine(module[name]));
  if (names.length < 2) return module[names[0] ?? 'default'];
  throw new Rejection(`the machines ${names.join(', ')} as exports`, 'one of them as the default export');
}

/** Returns the export `tasks` beside a machine. */
export const tableBeside = (machine: object): unknown => tables.get(machine);
