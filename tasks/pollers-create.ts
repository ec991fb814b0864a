/**
 * Creates pollers of the node that it does not have yet. Kinds of pollers that the daemon does not have are left out; if
 * there are no others, the task fails with `JOB_MISSING`. For `wsman powerthermal` of RackHD the pollers of Redfish that read the same
 * are created.
 *
 * Output: `{ created, leftOut }`, each a list of `type command` as given.
 */
import { defineTask, PermanentError, Type } from 'nodewright/define';

const poller = Type.Object({
  type: Type.String({ minLength: 1, maxLength: 64 }),
  pollInterval: Type.Optional(Type.Integer({ minimum: 1_000, maximum: 86_400_000 })),
  config: Type.Record(Type.String(), Type.Unknown()),
});

const noneOf = (kinds: readonly string[]) =>
  new PermanentError(`there are no pollers of the kinds ${kinds.slice(0, 20).join(', ')}`, 'JOB_MISSING');

export default defineTask({
  injectableName: 'Task.Pollers.Create',
  friendlyName: 'Create pollers',
  recovery: 'idempotent',
  retry: { attempts: 3, delayMs: 1_000 },
  optionsSchema: Type.Object({
    pollers: Type.Array(poller, {
      maxItems: 100,
      description: 'Pollers: { type, pollInterval?, config: { command } }.',
    }),
  }),
  run: async ({ input, nodeId, services }) => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has no pollers', 'NO_NODE');
    const created: string[] = [];
    const leftOut: string[] = [];
    for (const { type, pollInterval, config } of input.pollers) {
      const command = String(config.command ?? config.metric ?? '');
      const wanted = { type, command, ...(pollInterval === undefined ? {} : { pollInterval }) };
      ((await services.addPoller(nodeId, wanted)) ? created : leftOut).push(`${type} ${command}`);
    }
    if (created.length === 0 && leftOut.length > 0) throw noneOf(leftOut);
    return { created, leftOut };
  },
});
