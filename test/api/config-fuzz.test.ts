/** Any configuration: at the start it is rejected or the daemon works, and the same for PATCH. */
import test from 'ava';
import fc from 'fast-check';
import { LONGEST_TIMER_MS } from '../../engine/define/delay.ts';
import {
  type ChangeableConfig,
  changeableConfig,
  configSchema,
  readConfig,
} from '../../engine/platform/config/config.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { folder } from '../support/ava/folder.ts';
import { openEngine } from '../support/engine/engine.ts';
import { northbound, serve } from '../support/servers/api.ts';

interface Schema {
  type?: string;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
}

const numbers = fc.oneof(
  fc.constantFrom(0, -1, 0.001, 0.1, 1, 3_000_000, 2 ** 31 - 1, 2 ** 31, 3e9, 1e13, 8.64e15, 2 ** 53, 1e300),
  fc.double({ noNaN: true }),
  fc.integer(),
);
const anything = fc.oneof(
  numbers,
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.array(numbers),
  fc.dictionary(fc.string(), numbers),
);

/** Values of the right type mostly, so that the bounds decide, and others. */
function valueFor({ type, properties }: Schema): fc.Arbitrary<unknown> {
  if (properties !== undefined)
    return fc.oneof({ weight: 5, arbitrary: objectFor(properties) }, { weight: 1, arbitrary: anything });
  const isNumber = type === 'number' || type === 'integer';
  return fc.oneof({ weight: 5, arbitrary: isNumber ? numbers : anything }, { weight: 1, arbitrary: anything });
}

const objectFor = (properties: Record<string, Schema>) =>
  fc.record(Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, valueFor(schema)])), {
    requiredKeys: [],
  });

test('for any configuration file the start is rejected with one line, or a timer can take every number', (t) => {
  const cwd = folder(t);
  const outcomes = { rejected: 0, taken: 0 };
  const property = fc.property(objectFor(configSchema.properties as Record<string, Schema>), (file) => {
    try {
      const { obm, heartbeatIntervalSec } = readConfig({}, cwd, file as object);
      outcomes.taken += 1;
      t.true(Math.max(obm.timeoutMs, obm.backoffMs, heartbeatIntervalSec * 1_000) <= LONGEST_TIMER_MS);
    } catch (error) {
      outcomes.rejected += 1;
      t.true(error instanceof NodewrightError && error.code === 'CONFIG_INVALID' && !error.message.includes('\n'));
    }
  });
  fc.assert(property, { numRuns: 2_000 });
  // One key at a time, most values decide.
  for (const [key, schema] of Object.entries(configSchema.properties as Record<string, Schema>)) {
    fc.assert(
      fc.property(valueFor(schema), (value) => {
        try {
          readConfig({}, cwd, { [key]: value });
          outcomes.taken += 1;
        } catch (error) {
          t.true(error instanceof NodewrightError && error.code === 'CONFIG_INVALID', `${key}: ${error}`);
        }
      }),
      { numRuns: 200 },
    );
  }
  t.true(outcomes.rejected > 100 && outcomes.taken > 100, JSON.stringify(outcomes));
});

/** Keys that an object needs besides its numbers. Nothing listens there. */
const needed: Record<string, object> = {
  oidc: { issuer: 'http://127.0.0.1:9', clientId: 'nodewright', roles: [] },
};

/** Every number at one end of its bounds. */
function extremes(properties: Record<string, Schema>, end: 'minimum' | 'maximum'): Record<string, unknown> {
  const entries = Object.entries(properties).flatMap(([key, schema]): [string, unknown][] => {
    if (schema.properties !== undefined) return [[key, { ...needed[key], ...extremes(schema.properties, end) }]];
    return schema[end] === undefined ? [] : [[key, schema[end]]];
  });
  return Object.fromEntries(entries);
}

for (const end of ['minimum', 'maximum'] as const) {
  test(`with every number at its ${end} the daemon starts and runs a workflow`, async (t) => {
    const daemon = await openEngine(extremes(configSchema.properties as Record<string, Schema>, end));
    t.teardown(() => daemon.close());
    const { id } = await daemon.launch('Graph.noop-example');
    t.is((await daemon.finished(id)).status, 'succeeded');
  });
}

test('any PATCH of /config is accepted or rejected with 400, and log-in, sessions and heartbeats keep working', async (t) => {
  const daemon = await openEngine({ heartbeatIntervalSec: 0 });
  t.teardown(() => daemon.close());
  const { send, as } = await serve(t, northbound, daemon.engine);
  await as('Administrator', 'root');
  const credentials = { username: 'root', password: 'correct-horse' };
  const logIn = async () => {
    const { status, body } = await send('POST', '/login', { body: credentials });
    t.is(status, 200, JSON.stringify(body));
    return body.token as string;
  };
  const token = await logIn();
  const beats = () => daemon.events.filter(({ key }) => key.startsWith('heartbeat.')).length;
  const outcomes = { 200: 0, 400: 0 };
  const began = performance.now();
  const bodies = objectFor(changeableConfig.properties as Record<string, Schema>);
  const property = fc.asyncProperty(bodies, async (body) => {
    const { status, body: answer } = await send('PATCH', '/api/current/config', { token, body });
    t.true(status === 200 || status === 400, `${status} ${JSON.stringify(answer)}`);
    outcomes[status as 200 | 400] += 1;
    if (status === 400) return;
    t.is(typeof (await logIn()), 'string');
    const session = { UserName: credentials.username, Password: credentials.password };
    t.is((await send('POST', '/redfish/v1/SessionService/Sessions', { body: session })).status, 200);
  });
  const each = Object.keys(changeableConfig.properties).flatMap((key) =>
    [1e13, 3_000_000, 0.001, 8.64e15, 1e300, -1, 60].map((value): [ChangeableConfig] => [{ [key]: value }]),
  );
  const fitting: [ChangeableConfig][] = [
    [{ authTokenExpireIn: 1 }],
    [{ authTokenExpireIn: 315_360_000 }],
    [{ heartbeatIntervalSec: 86_400 }],
    [{ heartbeatIntervalSec: 0.1 }],
    [{ heartbeatIntervalSec: 0 }],
    [{ servicePublicIp: '10.0.0.1', log: { level: 'silent' }, env: {} }],
  ];
  const examples = [...each, ...fitting] as [Record<string, unknown>][];
  await fc.assert(property, { numRuns: examples.length + 40, examples });
  t.true(outcomes[200] > fitting.length && outcomes[400] > 20, JSON.stringify(outcomes));
  // At most one at the same time for each change, and ten a second.
  t.true(beats() <= outcomes[200] + (performance.now() - began) / 100);
});
