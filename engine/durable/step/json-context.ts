/** Contexts and outputs of machines are saved as JSON: other values would be lost, or differ after a restart. */
import { savedJson } from '../../vocabulary/saved-json.ts';
import type { LogicStep } from './logic.ts';

/**
 * Returns the step with the values that a restart would read: JSON has no `undefined` and no `-0`, and rows stay in memory
 * between steps, so that a graph would otherwise decide otherwise after a restart.
 * @param before the context of the step before, which is not looked at again. @throws Error that names the value
 */
export function savedStep(step: LogicStep, before: unknown): LogicStep {
  const { snapshot, ending } = step;
  const context = snapshot.context === before ? before : savedJson(snapshot.context, 'context');
  const next = context === snapshot.context ? step : { ...step, snapshot: { ...snapshot, context } };
  if (ending === undefined || !('output' in ending)) return next;
  const output = savedJson(ending.output, 'output');
  return output === ending.output ? next : { ...next, ending: { ...ending, output } };
}
