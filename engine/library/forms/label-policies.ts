/** The policies of labels in graphs made with the authoring kit: retries, timeouts, compensations. */

import type { GraphMeta } from '../../define/graph.ts';
import {
  COMPENSATION_TIMEOUT_MS,
  type CompensationDefinition,
  compensationLabel,
  type LabelDefinition,
  type Tasks,
} from '../../define/policies.ts';
import type { TaskDefinition } from '../../define/task.ts';
import { isWholeNumber, type JsonObject } from '../../vocabulary/json.ts';
import { Rejection, shownJson } from '../options/rejection.ts';
import { TIMEOUT } from '../options/static-checks.ts';
import type { Compensation, Graph, Label } from '../types.ts';
import { checkedRetry } from './checked-retry.ts';
import { isTaskDefinition } from './loaded-task.ts';

const labelKeys: readonly (keyof LabelDefinition)[] = ['task', 'retry', 'timeoutMs', 'compensate'];
const compensationKeys: readonly (keyof CompensationDefinition)[] = ['task', 'input', 'retry', 'timeoutMs', 'partial'];

/** A label, or a compensation, whose task is not compiled yet. */
export interface PolicyLabel extends Pick<Label, 'label' | 'retry' | 'compensation' | 'compensates'> {
  task: TaskDefinition;
  /** The input of a compensation. */
  input?: unknown;
}

/** Returns the labels of a graph with their policies, each followed by its compensation. @throws Rejection */
export function policyLabels({ tasks }: GraphMeta<Tasks>): PolicyLabel[] {
  const labels = Object.entries(tasks).flatMap(([label, entry]) => {
    if (isTaskDefinition(entry)) return [{ label, task: entry }];
    checkKeys(`label '${label}'`, entry, labelKeys, `tasks.${label}`);
    const { task, retry, compensate } = entry;
    const policyLabel = { label, task, ...retryIn(label, retry) };
    return compensate === undefined ? [policyLabel] : withCompensation(policyLabel, compensate);
  });
  const labelNames = new Set<string>();
  const twice = labels.find(({ label }) => labelNames.size === labelNames.add(label).size);
  if (twice === undefined) return labels;
  throw new Rejection(`label '${twice.label}', which is also that of a compensation`, 'an unused label');
}

function withCompensation(undone: PolicyLabel, compensate: CompensationDefinition): PolicyLabel[] {
  const label = compensationLabel(undone.label);
  checkKeys(`compensate of label '${undone.label}'`, compensate, compensationKeys, `tasks.${undone.label}.compensate`);
  const { task, input, retry, partial = false } = compensate;
  if (typeof partial !== 'boolean') throw new Rejection(`partial ${shownJson(partial)} of '${label}'`, 'true or false');
  const compensation: Compensation = { label, partial, ...(typeof input === 'function' && { input }) };
  return [
    { ...undone, compensation },
    { label, task, input, ...retryIn(label, retry), compensates: undone.label },
  ];
}

const retryIn = (label: string, retry: LabelDefinition['retry']) =>
  retry === undefined ? {} : { retry: checkedRetry(`label '${label}'`, retry) };

const A_TASK = "a task, such as the default export of 'nodewright/tasks/noop.ts', or an object with one";

function checkKeys(where: string, entry: unknown, keys: readonly string[], place: string): void {
  if (typeof entry !== 'object' || entry === null)
    throw new Rejection(`${where} with ${shownJson(entry)}`, A_TASK, { place });
  const unknown = Object.keys(entry).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw new Rejection(`${where} with ${unknown}`, `only ${keys.join(', ')}`, { place });
  if (!('task' in entry))
    throw new Rejection(`${where} without a task`, `an object with ${keys.join(', ')}`, { place });
}

/** Returns the options of a graph, with the timeouts of its labels. @throws Rejection */
export function optionsWithTimeouts({ tasks, options = {} }: GraphMeta<Tasks>): Graph['options'] {
  const all = { ...options } as Record<string, JsonObject | undefined>;
  for (const [label, entry] of Object.entries(tasks)) {
    if (isTaskDefinition(entry)) continue;
    const { timeoutMs, compensate } = entry;
    if (timeoutMs !== undefined) all[label] = withTimeout(label, timeoutMs, all[label]);
    if (compensate === undefined) continue;
    const ownLabel = compensationLabel(label);
    all[ownLabel] = withTimeout(ownLabel, compensate.timeoutMs ?? COMPENSATION_TIMEOUT_MS, all[ownLabel]);
  }
  return all;
}

function withTimeout(label: string, timeoutMs: unknown, options: JsonObject | undefined): JsonObject {
  if (!isWholeNumber(timeoutMs, 1)) {
    throw new Rejection(`timeoutMs ${shownJson(timeoutMs)} of label '${label}'`, 'a whole number of ms, at least 1');
  }
  if (options !== undefined && TIMEOUT in options) {
    throw new Rejection(`label '${label}' with timeoutMs and ${TIMEOUT}`, 'one of them');
  }
  return { [TIMEOUT]: timeoutMs, ...options };
}
