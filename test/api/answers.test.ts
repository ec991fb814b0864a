/** The answers to good and bad requests, compared with recorded ones. `npm run answers` records them anew. */
import { readFile, writeFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { createPatch } from 'diff';
import type { Engine } from '../../engine/api-port/index.ts';
import { type Answers, answersText, answerText } from '../support/data/answers.ts';
import { badRequests, operationsOf } from '../support/data/bad-requests.ts';
import type { OperationExample } from '../support/data/example-step.ts';
import { northboundExamples, southboundExamples } from '../support/data/operation-examples.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { openStoppedVersion } from '../support/engine/stopped-version.ts';
import { type Api, northbound, serve, southbound } from '../support/servers/api.ts';
import { startSnmpAgent } from '../support/servers/snmp-agent.ts';

/** Operations with an answer that depends on other work of the daemon, or on time. */
const varying = [
  'getSummary',
  'listEvents',
  'followEvents',
  'followConsole',
  'startTagWorkflows',
  'testHook',
  'redeliver',
  'listBmcs',
  'createRehearsal',
  'listRehearsals',
  'getRehearsal',
];

/** Is the page of the site, if that has been built. */
const BUILT = 'getDocs';

let it: TestEngine;

test.before(async () => {
  it = await openStoppedVersion(await openEngine({ heartbeatIntervalSec: 0 }));
});
test.after.always(() => it?.close());

/** @returns the answers by operation */
async function answersOf(api: Api<Engine>, examples: AsyncIterable<OperationExample>): Promise<Map<string, Answers>> {
  const { body: document } = await api.send('GET', '/api/2.0/openapi.json', { token: await api.as('Administrator') });
  const operations = new Map(operationsOf(document).map((operation) => [operation.operationId, operation]));
  const all = new Map<string, Answers>();
  for await (const [id, step, settled] of examples) {
    if (id === BUILT) continue;
    const operation = operations.get(id);
    if (operation === undefined) throw new Error(`${id} is not an operation of the document`);
    const answers: Answers = new Map();
    const bad = badRequests(operation, step, await api.as('ReadOnly'), document);
    for (const { name, method, path, ...request } of [{ ...step, name: 'good' }, ...bad]) {
      answers.set(name, answerText(await api.send(method, path, request), varying.includes(id)));
      await settled?.();
    }
    all.set(`${id} ${operation.method} ${operation.template}`, answers);
  }
  return all;
}

/** Uses operations of an agent for a node that does not exist: one that waits for a command would wait long. */
async function* withAgent(examples: AsyncIterable<OperationExample>): AsyncGenerator<OperationExample> {
  yield* examples;
  yield ['getAgentTask', { method: 'GET', path: '/api/current/tasks/no-such-node' }];
  yield ['getAgentTaskWanted', { method: 'GET', path: '/api/current/tasks/no-such-node/none' }];
}

async function compare(t: ExecutionContext, name: string, all: ReadonlyMap<string, Answers>): Promise<void> {
  const file = new URL(`../../fixtures/answers/${name}.txt`, import.meta.url);
  const text = answersText(all);
  if (process.env.NODEWRIGHT_TEST_RECORD) await writeFile(file, text);
  const recorded = await readFile(file, 'utf8');
  const changes = createPatch(name, recorded, text, 'recorded', 'now', { context: 2 });
  if (recorded === text) t.pass();
  else t.fail(`answers changed; if that is intended, run npm run answers\n${changes}`);
}

test.serial('the northbound endpoint answers as recorded', async (t) => {
  const api = await serve(t, northbound, it.engine);
  await compare(t, 'northbound', await answersOf(api, northboundExamples(api, it, await startSnmpAgent(t))));
});

test.serial('the southbound endpoint answers as recorded', async (t) => {
  const api = await serve(t, southbound, it.engine);
  await compare(t, 'southbound', await answersOf(api, withAgent(southboundExamples(api))));
});
