/**
 * Decrypts the secrets of an operation right before it runs, and returns the secrets to scrub from its results.
 *
 * The decrypted values are validated against the task's schema here, because steps accept any encrypted value.
 */

import { schemaViolations } from '../../library/options/schema.ts';
import type { Graph, Task } from '../../library/types.ts';
import type { Secret, Vault } from '../../platform/secrets/vault.ts';
import { conceal } from '../../vocabulary/conceal.ts';
import { holdsEncrypted } from '../../vocabulary/encrypted-values.ts';
import { checkLimits } from '../../vocabulary/env-limits.ts';
import { PermanentError, violationList } from '../../vocabulary/errors.ts';
import { taskRunKey } from '../step/builder.ts';
import type { Operation, WorkflowRow } from '../step/row.ts';
import { isSuspicious, Scrubber } from './scrub.ts';

export interface DecryptedOperation<O extends Operation = Operation> {
  input: O['input'];
  scrubber: Scrubber;
}

/** @throws NodewrightError SECRET_UNREADABLE, PermanentError INVALID_OPTIONS, ENV_NOT_ALLOWED */
export function decryptOperation<O extends Operation>(
  vault: Vault,
  row: WorkflowRow,
  task: Task,
  operation: O,
): DecryptedOperation<O> {
  const { value, secrets, limits } = vault.decrypt<O['input']>(operation.input);
  checkLimits(limits, task.name, value);
  const options = row.actors[taskRunKey(operation.taskRun)]?.options ?? {};
  if (holdsEncrypted(options)) checkOptions(task, vault.decrypt(options).value);
  const known = [...secrets, ...plainIn(vault, task, options), ...secretsOf(vault, row)];
  return { input: value, scrubber: new Scrubber(vault, known) };
}

/** Returns the secrets of a definition from a file, where they are not encrypted. */
function plainIn(vault: Vault, { schema }: Task, options: object): Secret[] {
  const secrets: Secret[] = [];
  if (!isSuspicious(JSON.stringify(options))) return secrets;
  conceal([schema], options, vault.hiding({ encrypted: (secret) => secrets.push(secret) }));
  return secrets;
}

function checkOptions({ name, schema }: Task, options: Record<string, unknown>): void {
  const violations = schemaViolations(schema, structuredClone(options));
  if (violations.length > 0)
    throw new PermanentError(`options for ${name}: ${violationList(violations)}`, 'INVALID_OPTIONS');
}

/** Returns all secrets of the workflow: an activity may find traces of an earlier one. */
export function secretsOf(vault: Vault, row: WorkflowRow): Secret[] {
  if (!row.encrypted) return [];
  try {
    return vault.decrypt([row.options, row.bindings]).secrets;
  } catch {
    // An activity that needs one of them fails anyway.
    return [];
  }
}

/** Returns the schemas of a label's options; `defaults` has those of all labels. */
export function schemasOf(graph: Graph | undefined, label: string): object[] {
  if (graph === undefined) return [];
  if (label === 'defaults') return [...graph.labels.values()].map(({ task }) => task.schema);
  const schema = graph.labels.get(label)?.task.schema;
  return schema === undefined ? [] : [schema];
}
