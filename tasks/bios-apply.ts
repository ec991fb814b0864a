/**
 * Configures the BIOS by `Graph.Bios.Configure`, with the options of RackHD's job over WS-Man: the attributes as a list, and the kind of
 * restart. Orders of boot devices are rejected, because Redfish services name these devices in other ways.
 *
 * Output: `{ workflowId, output }` of the graph.
 */
import { defineTask, Type, type Violation } from 'nodewright/define';
import { biosValue } from '../engine/hardware/redfish/bios-options.ts';
import { childMachine, fixedGraph, runsFixedGraph } from '../engine/hardware/redfish/child-machine.ts';

const name = 'Task.Bios.Apply';
const graphName = 'Graph.Bios.Configure';

/** Absent in RackHD's graphs as a list of one empty text. */
const devices = Type.Optional(
  Type.Array(Type.String({ maxLength: 255 }), {
    maxItems: 50,
    description: 'Without effect if empty, otherwise rejected.',
  }),
);
const deviceOptions = {
  biosBootSequenceOrder: devices,
  hddSequenceOrder: devices,
  enableBootDevices: devices,
  disableBootDevices: devices,
};

const attribute = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 255 }), value: biosValue },
  { additionalProperties: false },
);

const optionsSchema = Type.Object(
  {
    graphName: fixedGraph(graphName),
    attributes: Type.Array(attribute, { minItems: 1, maxItems: 500, description: '`[{ name, value }]`.' }),
    rebootJobType: Type.Integer({
      minimum: 1,
      maximum: 2,
      description: '1: switches the machine off and on; 2: asks its operating system to shut down first.',
    }),
    ...deviceOptions,
  },
  { additionalProperties: false },
);

type Options = {
  graphName: string;
  attributes: { name: string; value: string | number | boolean | null }[];
  rebootJobType: number;
} & Partial<Record<keyof typeof deviceOptions, string[]>>;

function violationsOf(options: Options): Violation[] {
  const names = options.attributes.map((one) => one.name);
  const repeated = names.find((one, at) => names.indexOf(one) !== at);
  const given = (Object.keys(deviceOptions) as (keyof typeof deviceOptions)[]).filter((key) =>
    options[key]?.some((device) => device !== ''),
  );
  return [
    ...(repeated === undefined ? [] : [{ path: 'attributes', message: `found ${repeated} twice` }]),
    ...given.map((path) => ({
      path,
      message: 'found devices; no task here orders them, so name attributes of the BIOS',
    })),
  ];
}

export default defineTask<typeof optionsSchema, { workflowId: string; output: unknown } | undefined>({
  injectableName: name,
  friendlyName: 'Configure the BIOS, and restart',
  // The child is created once.
  recovery: 'idempotent',
  runs: runsFixedGraph,
  optionsSchema,
  options: { graphName, rebootJobType: 1 },
  checkLaunch: async ({ options }) => violationsOf(options as Options),
  machine: childMachine<Options>(name, ({ attributes, rebootJobType }) => ({
    configure: { attributes: Object.fromEntries(attributes.map((one) => [one.name, one.value])) },
    restart: { force: rebootJobType === 1 },
  })),
});
