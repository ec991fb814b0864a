/**
 * Sends to a peer with iperf3, then receives from it, half of the time each, through the agent. The peer runs `iperf3 -s`, which serves
 * one machine at a time. It ends as `Task.BurnIn.Cpu` does.
 *
 * Output: `{ verdict, tool, startedAt, endedAt, minimum, figures, problems }`; figures are `peer`, `sendMbps`, `receiveMbps`, `cpuCelsius`
 * and `driveCelsius`.
 */
import { Type } from 'nodewright/define';
import { defineBurnInTest } from '../engine/hardware/burn-in/define-test.ts';

interface Options {
  durationSec: number;
  peer?: string;
  port: number;
  streams: number;
  minMbps: number;
}

export default defineBurnInTest<Options>({
  injectableName: 'Task.BurnIn.Network',
  friendlyName: 'Test the network to a peer',
  test: 'network',
  properties: {
    peer: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9.:-]{0,252}$',
        description: 'The address or name of a host that runs `iperf3 -s`; absent: the graph leaves this test out.',
      }),
    ),
    port: Type.Integer({ minimum: 1, maximum: 65_535, description: 'The port of iperf3 there.' }),
    streams: Type.Integer({ minimum: 1, maximum: 128, description: 'Connections at the same time.' }),
    minMbps: Type.Integer({
      minimum: 0,
      maximum: 10_000_000,
      description: 'The least throughput in each direction, in Mbit per second; 0: any.',
    }),
  },
  options: { durationSec: 60, port: 5_201, streams: 4, minMbps: 0 },
  wanted: ({ peer = '', port, streams, minMbps }) => ({
    peer,
    port: `${port}`,
    streams: `${streams}`,
    floor: `${minMbps}`,
  }),
});
