/** Outputs that tasks have if each of their operations returns `{}`: those of a machine with several have a shape. */
import type { EventObject } from 'xstate';
import type { LogicStep } from '../durable/step/logic.ts';
import { logicOf } from '../durable/step/stepper.ts';
import { mergeOptions } from '../library/options/options.ts';
import type { Graph, Label } from '../library/types.ts';
import type { JsonObject } from '../vocabulary/json.ts';
import { launchSamples } from './launch-samples.ts';

const MAX_STEPS = 100;

/** Returns the outputs of a label with the options of the graph's examples, without repeats; at least one. */
export function likelyOutputs(graph: Graph, label: Label): unknown[] {
  const outputs = launchSamples(graph, []).map(({ options }) =>
    outputOf(label, mergeOptions(graph, label.label, options)),
  );
  return [...new Map(outputs.map((output) => [JSON.stringify(output), output])).values()];
}

/** Runs the task's machine by pure steps; `{}` if that is not possible. */
function outputOf({ task }: Label, options: JsonObject): unknown {
  try {
    const logic = logicOf(task.machine);
    let at = logic.begin({ options, nodeId: 'node', workflowId: 'workflow' });
    for (let n = 0; n < MAX_STEPS && at.ending === undefined; n += 1) {
      const event = nextEvent(at);
      if (event === undefined) return {};
      at = logic.next(at.snapshot, event);
    }
    return at.ending !== undefined && 'output' in at.ending ? (at.ending.output ?? {}) : {};
  } catch {
    return {};
  }
}

function nextEvent({ actions }: LogicStep): EventObject | undefined {
  for (const { type, params } of actions) {
    const { id, event, delay } = params as { id: string; event: EventObject; delay?: number };
    if (type === 'xstate.spawnChild')
      return { type: `xstate.done.actor.${id}`, output: {}, actorId: id } as EventObject;
    if (type === 'xstate.raise' && delay !== undefined) return event;
  }
  return undefined;
}
