/**
 * Updates firmware by `Graph.Firmware.Update` with the option of RackHD's job over WS-Man: the BMC fetches the image, decides from it
 * which components it is for, and applies it with a restart of the machine, which follows immediately.
 *
 * Output: `{ workflowId, output }` of the graph.
 */
import { defineTask, Type } from 'nodewright/define';
import { childMachine, fixedGraph, runsFixedGraph } from '../engine/hardware/redfish/child-machine.ts';

const name = 'Task.Firmware.Apply';
const graphName = 'Graph.Firmware.Update';

const optionsSchema = Type.Object(
  {
    graphName: fixedGraph(graphName),
    imageURI: Type.String({
      pattern: '^[a-z]+://',
      maxLength: 2_048,
      description: 'URL from which the BMC fetches the image.',
    }),
  },
  { additionalProperties: false },
);

interface Options {
  graphName: string;
  imageURI: string;
}

export default defineTask<typeof optionsSchema, { workflowId: string; output: unknown } | undefined>({
  injectableName: name,
  friendlyName: 'Update firmware, and restart',
  // The child is created once.
  recovery: 'idempotent',
  runs: runsFixedGraph,
  optionsSchema,
  options: { graphName },
  machine: childMachine<Options>(name, ({ imageURI }) => ({ update: { image: imageURI, applyTime: 'OnReset' } })),
});
