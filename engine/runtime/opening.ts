/**
 * Opens the secrets of work, right before it touches the world, and says which secrets to scrub from what comes back.
 *
 * What is open is checked against the task's schema here: steps take a sealed value for one that fits.
 */
import { conceal } from '../define/conceal.ts';
import { PermanentError } from '../define/errors.ts';
import { holdsSealed } from '../define/sealed.ts';
import { misfits } from '../library/schema.ts';
import type { Graph, Task } from '../library/types.ts';
import { callKey } from '../step/draft.ts';
import type { Work, WorkflowRow } from '../step/row.ts';
import type { Secret, Vault } from '../vault.ts';
import { isSuspicious, Scrubber } from './scrub.ts';

export interface OpenWork {
  input: unknown;
  scrubber: Scrubber;
}

/** @throws NodewrightError SECRET_UNREADABLE, PermanentError INVALID_OPTIONS */
export function openWork(vault: Vault, row: WorkflowRow, graph: Graph, task: Task, work: Work): OpenWork {
  const { value, secrets } = vault.open(work.input);
  const options = row.cells[callKey(work.call)]?.options ?? {};
  if (holdsSealed(options)) checkOptions(task, vault.open(options).value);
  const known = [...secrets, ...plainIn(vault, task, options), ...secretsOf(vault, row, graph)];
  return { input: value, scrubber: new Scrubber(vault, known) };
}

/** Of a definition in a file: what it holds nobody sealed. */
function plainIn(vault: Vault, { schema }: Task, options: object): Secret[] {
  const secrets: Secret[] = [];
  if (!isSuspicious(JSON.stringify(options))) return secrets;
  conceal([schema], options, vault.hiding({ sealed: (secret) => secrets.push(secret) }));
  return secrets;
}

function checkOptions({ name, schema }: Task, options: Record<string, unknown>): void {
  const faults = misfits(schema, structuredClone(options));
  if (faults.length === 0) return;
  const told = faults.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw new PermanentError(`options for ${name}: ${told}`, 'INVALID_OPTIONS');
}

/** All that the workflow was given: an act may meet what an earlier one left. */
export function secretsOf(vault: Vault, row: WorkflowRow, graph: Graph | undefined): Secret[] {
  if (row.sealed === false) return [];
  if (row.sealed === true) {
    try {
      return vault.open([row.options, row.bindings]).secrets;
    } catch {
      // Who needs one of them fails by itself.
      return [];
    }
  }
  const secrets: Secret[] = [];
  const hiding = vault.hiding({ sealed: (secret) => secrets.push(secret) });
  // An older version made the row: its secrets are plain.
  conceal([], row.bindings, hiding);
  for (const [label, options] of Object.entries(row.options)) conceal(schemasOf(graph, label), options, hiding);
  return secrets;
}

/** Schemas of a label's options; what is for all labels has those of all. */
export function schemasOf(graph: Graph | undefined, label: string): object[] {
  if (graph === undefined) return [];
  if (label === 'defaults') return [...graph.labels.values()].map(({ task }) => task.schema);
  const schema = graph.labels.get(label)?.task.schema;
  return schema === undefined ? [] : [schema];
}
