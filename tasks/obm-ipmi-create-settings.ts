/**
 * Creates the node's `ipmi-obm-service`, with the BMC's address from the catalog of its LAN channel and the user from
 * the options. A catalog from an untrusted sender is rejected. Then a power query tests the obm. An obm that fails the
 * test is kept, so that the next attempt, or a user who corrects the BMC, can use it; the task fails with a message.
 *
 * Output: `{ service, host, power }`.
 */
import { defineTask, PermanentError, secret, Type } from 'nodewright/define';

const SERVICE = 'ipmi-obm-service';
const UNSET = '0.0.0.0';

const optionsSchema = Type.Object(
  {
    user: Type.String({ minLength: 1, maxLength: 1_024, description: 'A user of the BMC with administrator rights.' }),
    password: secret(
      Type.String({ maxLength: 20, description: 'The password, at most the 20 characters of IPMI 2.0.' }),
    ),
    ipmichannel: Type.Optional(
      Type.Unsafe<string | number | null>({
        anyOf: [
          { type: 'string', pattern: '^([1-9]|1[0-5])$' },
          { type: 'integer', minimum: 1, maximum: 15 },
          { type: 'null' },
        ],
        description: 'The LAN channel, which selects the catalog: 3 is `rmm`, others `bmc-<channel>`, none `bmc`.',
      }),
    ),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, description: 'UDP port; default 623.' })),
  },
  { additionalProperties: false },
);

export default defineTask({
  injectableName: 'Task.Obm.Ipmi.CreateSettings',
  friendlyName: 'Create IPMI obm settings',
  // A repeat writes the same obm, and the test only queries.
  recovery: 'idempotent',
  retry: { attempts: 3, delayMs: 2_000 },
  provides: [{ obm: SERVICE }],
  optionsSchema,
  run: async ({ input, nodeId, signal, services }) => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has no BMC', 'NO_NODE');
    const { user, password, port } = input;
    const source = sourceOf(input.ipmichannel ?? null);
    const host = hostIn(await services.trustedCatalog(nodeId, source), source, nodeId);
    await services.setObm(nodeId, SERVICE, { host, user, password, ...(port === undefined ? {} : { port }) });
    try {
      const obm = await services.obm(nodeId, SERVICE);
      return { service: SERVICE, host, power: await obm.state(signal) };
    } catch (error) {
      signal.throwIfAborted();
      throw untestedError(error as Error, host);
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
  // A lookup may have an address that the BMC does not report yet.
  if (typeof mac === 'string' && mac !== '') return mac;
  const problem = catalog === undefined ? 'it does not exist' : 'it has neither an IP Address nor a MAC Address';
  throw new PermanentError(
    `the catalog ${source} of the node ${node} must contain the address of its BMC: ${problem}; discover the node, or post the catalog`,
    'BMC_UNKNOWN',
  );
}

/** Adds to an error that the obm was written. */
const untestedError = (error: Error, host: string): Error =>
  Object.assign(error, {
    message: `the obm was written, with the BMC at ${host}, but its test failed: ${error.message}`,
  });
