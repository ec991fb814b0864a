/**
 * Gives the node its `ipmi-obm-service`: the BMC's address is taken from the catalog of its LAN channel, the user from the
 * options. A catalog that anyone on the node's network could have posted is refused. Then it is tested by asking for the power. An obm that fails the test stays as it was written, so that the next
 * attempt, or somebody who corrects the BMC, finds it; the call fails and says so.
 */
import { defineTask, PermanentError, secret, Type } from '../engine/define/index.ts';

const SERVICE = 'ipmi-obm-service';
const UNSET = '0.0.0.0';

const optionsSchema = Type.Object(
  {
    user: Type.String({ minLength: 1, maxLength: 1_024, description: 'A user of the BMC that may administrate.' }),
    password: secret(Type.String({ maxLength: 20, description: 'Its password, as long as IPMI 2.0 has it.' })),
    ipmichannel: Type.Optional(
      Type.Unsafe<string | number | null>({
        anyOf: [
          { type: 'string', pattern: '^([1-9]|1[0-5])$' },
          { type: 'integer', minimum: 1, maximum: 15 },
          { type: 'null' },
        ],
        description: 'The LAN channel, which says the catalog: 3 is `rmm`, others `bmc-<channel>`, none `bmc`.',
      }),
    ),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, description: 'UDP; absent: 623.' })),
  },
  { additionalProperties: false },
);

export default defineTask({
  injectableName: 'Task.Obm.Ipmi.CreateSettings',
  friendlyName: 'Create IPMI obm settings',
  // The obm is the same in a repeat, and the test only asks.
  recovery: 'idempotent',
  retry: { attempts: 3, backoffMs: 2_000 },
  provides: [{ obm: SERVICE }],
  optionsSchema,
  run: async ({ input, nodeId, signal, world }) => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has no BMC', 'NO_NODE');
    const { user, password, port } = input;
    const source = sourceOf(input.ipmichannel ?? null);
    const host = hostIn(await world.trustedCatalog(nodeId, source), source, nodeId);
    await world.setObm(nodeId, SERVICE, { host, user, password, ...(port === undefined ? {} : { port }) });
    try {
      const obm = await world.obm(nodeId, SERVICE);
      return { service: SERVICE, host, power: await obm.state(signal) };
    } catch (error) {
      signal.throwIfAborted();
      throw untested(error as Error, host);
    }
  },
});

const sourceOf = (channel: string | number | null): string => {
  if (channel === null) return 'bmc';
  return String(channel) === '3' ? 'rmm' : `bmc-${channel}`;
};

function hostIn(catalog: unknown, source: string, node: string): string {
  const { 'IP Address': ip, 'MAC Address': mac } = (catalog ?? {}) as Record<string, unknown>;
  if (typeof ip === 'string' && ip !== '' && ip !== UNSET) return ip;
  // Lookups may know what the BMC itself does not yet.
  if (typeof mac === 'string' && mac !== '') return mac;
  const found = catalog === undefined ? 'there is none' : 'it has neither an IP Address nor a MAC Address';
  throw new PermanentError(
    `the catalog ${source} of the node ${node} has to tell where its BMC is: ${found}; discover the node, or post it`,
    'BMC_UNKNOWN',
  );
}

/** The same error, saying what was done before. */
const untested = (error: Error, host: string): Error =>
  Object.assign(error, {
    message: `the obm was written, with the BMC at ${host}, but it does not work: ${error.message}`,
  });
