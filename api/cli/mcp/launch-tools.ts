/** The tools of `--launches`: an assistant launches nothing without the approval of another user. */
import { Type } from 'typebox';
import { nodeOf } from '../node-of.ts';
import { changing } from './assistant-tool.ts';
import { launchInput } from './reading-tools.ts';

const { name, node, options } = launchInput.properties;

export const launchTools = [
  changing({
    name: 'request_ticket',
    description:
      'Asks for the approval of a launch. Returns the ticket with the plan that another user has to approve.',
    input: launchInput,
    run: async (client, input) => {
      const launch = { name: input.name, node: (await nodeOf(client, input.node)).id, options: input.options ?? {} };
      return (await client.post('/tickets', { body: { launch } })).body;
    },
  }),
  changing({
    name: 'launch',
    description: 'Launches what an approved ticket describes. Anything that differs from it is rejected.',
    input: Type.Object({ ticket: Type.String({ description: 'the id of an approved ticket' }), name, node, options }),
    run: async (client, input) => {
      const body = { name: input.name, options: input.options ?? {}, ticket: input.ticket };
      const params = { identifier: (await nodeOf(client, input.node)).id };
      return (await client.post('/nodes/:identifier/workflows', { params, body })).body;
    },
  }),
];
