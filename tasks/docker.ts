/**
 * Calls the API of a Docker host, in order: `exec` is a list of `{ method, args?, then? }` with the methods list, inspect,
 * pull, create, run, start, stop, restart, kill and remove, as RackHD has them. The first failure ends the task.
 *
 * Output: `{ results: [{ method, statusCode, body }] }`.
 */
import { type ActivityScope, defineTask, PermanentError, Type } from 'nodewright/define';
import { exchange, type RestAnswer } from '../engine/hardware/rest/exchange.ts';

interface Call {
  method: string;
  args?: unknown[];
  then?: Call[];
}

const METHODS = ['list', 'inspect', 'pull', 'create', 'run', 'start', 'stop', 'restart', 'kill', 'remove'];

const optionsSchema = Type.Object(
  {
    exec: Type.Array(
      Type.Unsafe<Call>({ type: 'object', properties: { method: { enum: METHODS } }, required: ['method'] }),
      {
        minItems: 1,
        maxItems: 100,
        description: 'The calls: { method, args?, then? }.',
      },
    ),
    protocol: Type.Optional(
      Type.Union([Type.Literal('http'), Type.Literal('https')], { description: 'Default http.' }),
    ),
    host: Type.String({ pattern: '^[\\w.:-]+$', maxLength: 256, description: 'Docker host.' }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, description: 'Its port.' }),
    ca: Type.Optional(Type.String({ description: 'PEM of the authority that signed its certificate.' })),
    timeoutMs: Type.Integer({ minimum: 1, maximum: 3_600_000, description: 'Timeout of a call in ms.' }),
  },
  { additionalProperties: false },
);

interface Options {
  exec: Call[];
  protocol?: string;
  host: string;
  port: number;
  ca?: string;
  timeoutMs: number;
}

type Result = Pick<RestAnswer, 'statusCode' | 'body'> & { method: string };

const DEPTH = 4;
const containerRequest = (method: string) => ['POST', `/containers/{id}/${method}`] as const;
const requests: Record<string, readonly ['GET' | 'POST' | 'DELETE', string]> = {
  list: ['GET', '/containers/json'],
  inspect: ['GET', '/containers/{id}/json'],
  pull: ['POST', '/images/create?fromImage={id}'],
  create: ['POST', '/containers/create'],
  start: containerRequest('start'),
  stop: containerRequest('stop'),
  restart: containerRequest('restart'),
  kill: containerRequest('kill'),
  remove: ['DELETE', '/containers/{id}'],
};

async function callDaemon(
  { method, args = [], then = [] }: Call,
  scope: ActivityScope<Options>,
  depth = 0,
): Promise<Result[]> {
  if (depth > DEPTH) throw new PermanentError(`exec has more than ${DEPTH} levels of then`, 'INVALID_OPTIONS');
  const results = method === 'run' ? await run(args, scope) : [await ask(method, args, scope)];
  for (const next of then) results.push(...(await callDaemon(next, scope, depth + 1)));
  return results;
}

async function run([image, options]: unknown[], scope: ActivityScope<Options>): Promise<Result[]> {
  const { create = {}, start = {} } = (options ?? {}) as { create?: object; start?: object };
  const container = await ask('create', [{ ...create, Image: image }], scope);
  const { Id } = container.body as { Id?: unknown };
  return [container, await ask('start', [Id, start], scope)];
}

/** 304: the container is in that state already. */
const acceptedStatusCodes = [200, 201, 204, 304];

async function ask(
  method: string,
  args: readonly unknown[],
  { input, signal, services }: ActivityScope<Options>,
): Promise<Result> {
  const [verb, path] = requests[method] as (typeof requests)[string];
  const hasId = path.includes('{id}');
  const [id, body] = hasId ? args : [undefined, args[0]];
  const { protocol = 'http', host, port, ca, timeoutMs } = input;
  const url = `${protocol}://${host}:${port}${path.replace('{id}', encodeURIComponent(String(id)))}`;
  const sent =
    verb === 'POST' && typeof body === 'object' && body !== null && Object.keys(body).length > 0 ? { body } : {};
  const request = { url, method: verb, timeoutMs, acceptedStatusCodes, ...sent, ...(ca !== undefined && { ca }) };
  const { statusCode, body: answer } = await exchange({ input: request, signal, services });
  return { method, statusCode, body: answer };
}

export default defineTask<typeof optionsSchema, { results: Result[] }>({
  injectableName: 'Task.Docker',
  friendlyName: 'Call a Docker host',
  // A container must not be created twice.
  recovery: 'once',
  optionsSchema,
  options: { host: '127.0.0.1', port: 2375, timeoutMs: 600_000 },
  run: async (scope) => {
    const results: Result[] = [];
    for (const call of scope.input.exec) results.push(...(await callDaemon(call, scope as ActivityScope<Options>)));
    return { results };
  },
});
