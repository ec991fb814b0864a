/**
 * Updates the firmware of devices by `Graph.Firmware.Update.InBand`, on a node that may have none of them: it boots the node into the
 * microkernel, and restarts it.
 *
 * Output: `{ workflowId, output }` of the graph.
 */
import { defineTask, Type } from 'nodewright/define';
import { type UpdateOptions, updateOptions } from '../engine/hardware/firmware/device-updates.ts';
import { childMachine, fixedGraph, runsFixedGraph } from '../engine/hardware/redfish/child-machine.ts';

const name = 'Task.Firmware.Apply.InBand';
const graphName = 'Graph.Firmware.Update.InBand';

const optionsSchema = Type.Object(
  { graphName: fixedGraph(graphName), updates: updateOptions.updates },
  { additionalProperties: false },
);

interface Options extends Pick<UpdateOptions, 'updates'> {
  graphName: string;
}

export default defineTask<typeof optionsSchema, { workflowId: string; output: unknown } | undefined>({
  injectableName: name,
  friendlyName: 'Update firmware in band, and restart',
  // The child is created once.
  recovery: 'idempotent',
  runs: runsFixedGraph,
  optionsSchema,
  options: { graphName },
  machine: childMachine<Options>(name, ({ updates }) => ({
    update: { updates, mayLack: true },
    verify: { mayLack: true },
  })),
});
