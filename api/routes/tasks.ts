/** /tasks: the commands and results of node agents. Southbound, so without a token. */

import { readFileSync } from 'node:fs';
import { Type } from 'typebox';
import type { AgentReport, AgentTask, KnownBy, SouthboundSender } from '../../engine/api-port/index.ts';
import { nonEmpty, words } from '../../engine/api-port/schemas.ts';
import { catalogFormats } from '../../engine/define/command.ts';
import { callbackUrl } from '../../engine/vocabulary/callback.ts';
import { invalidInput } from '../../engine/vocabulary/errors.ts';
import { property } from '../../engine/vocabulary/json.ts';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { MIB } from '../../engine/vocabulary/units.ts';
import { nodeIdNamed, requireOrigin } from '../http/rejections.ts';
import { type Call, type Reply, routesOf } from '../http/route.ts';
import { admittedAs, withoutKey } from '../http/southbound-sender.ts';

const route = routesOf('general');

/** Seconds; below the idle timeout of common proxies. */
const WAIT_MAX = 25;
/** Bytes: a catalog of 4 MiB in base64, and its envelope. */
const RESULT_LIMIT = 8 * MIB;
const RESULTS = 100;
/** Agents on systems other than Linux report 32 bits. */
const EXIT_CODE = 2 ** 32;

const taskQuery = Type.Object({
  agent: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' })),
  wait: Type.Optional(Type.Integer({ minimum: 0, maximum: WAIT_MAX })),
  format: Type.Optional(words(['json', 'sh'])),
});

const agentTask = Type.Object(
  {
    id: Type.String(),
    taskId: Type.String(),
    cmd: Type.String(),
    source: Type.Optional(Type.String()),
    format: Type.Optional(words(catalogFormats)),
    timeout: Type.Integer(),
    callback: Type.Optional(Type.String()),
    downloadUrl: Type.Optional(Type.String({ description: 'On a switch: the file to run; `cmd` is empty.' })),
  },
  { title: 'AgentTask' },
);
const agentTasks = Type.Object({ identifier: Type.String(), tasks: Type.Array(agentTask) }, { title: 'AgentTasks' });

/** Unknown fields are allowed: agents may return the fields that they received. */
const result = Type.Object({
  id: Type.Optional(
    Type.Unsafe<string>({ ...nonEmpty, description: 'Absent: the delivered command with this `cmd`.' }),
  ),
  cmd: Type.Optional(Type.String()),
  exitCode: Type.Optional(Type.Integer({ minimum: -EXIT_CODE, maximum: EXIT_CODE })),
  error: Type.Optional(
    Type.Unknown({ description: 'Instead of `exitCode`, from agents of RackHD: null for 0, `{ code }`, or a text.' }),
  ),
  downloadUrl: Type.Optional(
    Type.String({ description: 'As delivered, from a switch: without `exitCode` and `error` the file has succeeded.' }),
  ),
  stdout: Type.Optional(Type.String()),
  stderr: Type.Optional(Type.String()),
  stdoutBytes: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  encoding: Type.Optional(words(['utf8', 'base64'])),
});
const results = Type.Object(
  { identifier: Type.Optional(Type.String()), tasks: Type.Array(result, { maxItems: RESULTS }) },
  { title: 'AgentResults' },
);
const taskAssignment = Type.Object(
  {
    identifier: Type.String(),
    tasks: Type.Array(Type.Object({ id: Type.String(), accepted: Type.Boolean() })),
  },
  { title: 'AgentResultsTaken' },
);

interface TaskQuery {
  agent?: string;
  wait?: number;
  format?: 'json' | 'sh';
}

async function nextTask(call: Call<TaskQuery>): Promise<Reply> {
  const { engine, query, signal, waits, origin, address } = call;
  const { agent = 'unnamed', wait = 0, format } = query;
  const { id, knownBy } = await sending(call);
  const task = await engine.agents.next(id, { agent, waitMs: wait * 1_000, waits, signal, address, knownBy });
  if (task === undefined) return { status: 204 };
  const callback = task.callback && origin ? callbackUrl(`${origin}/api/current`, task.callback) : '';
  if (format === 'sh') {
    return { status: 200, body: shellOf(task, callback), headers: { 'Content-Type': 'text/plain' } };
  }
  const { taskId, timeout, catalog, downloadUrl } = task;
  // Programs of RackHD for switches run files only, and edit the text of the assignment, in which braces would be in their way.
  const runsFile = downloadUrl !== undefined && (await engine.nodes.find(id))?.type === 'switch';
  const work = runsFile ? { cmd: '', downloadUrl } : { cmd: task.cmd };
  const assignment = { id: task.id, taskId, ...work, ...catalog, timeout, ...(callback !== '' && { callback }) };
  return { status: 200, body: { identifier: id, tasks: [assignment] } };
}

/** The node in the path, and how its agent was identified. @throws NodewrightError NOT_FOUND, FORBIDDEN */
async function sending(call: Call): Promise<{ id: string; knownBy: KnownBy }> {
  const id = await nodeIdNamed(call.engine, call.params.identifier);
  const by = await admittedAs(call, id);
  return { id, knownBy: by === 'operator' ? 'nothing' : by };
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns the task as shell assignments, for an agent that is a shell script. */
function shellOf({ id, taskId, cmd, timeout, limit, listens, cancelled }: AgentTask, callback: string): string {
  const flags = { LISTENS: listens ? 'yes' : '', CANCELLED: cancelled ? 'yes' : '' };
  const numbers = { TIMEOUT: `${timeout}`, LIMIT: `${limit}` };
  const values = { ID: id, TASK: taskId, ...numbers, ...flags, CALLBACK: callback, COMMAND: cmd };
  return Object.entries(values)
    .map(([name, value]) => `NW_${name}=${quote(value)}\n`)
    .join('');
}

interface Result extends Partial<AgentReport> {
  cmd?: string;
  error?: unknown;
  downloadUrl?: string;
  encoding?: 'utf8' | 'base64';
}

/** Returns the exit code; that of a command which RackHD's agent could not run, or which was killed, is 1. */
function exitCodeOf({ exitCode, error = null }: Result): number {
  if (exitCode !== undefined) return exitCode;
  const code = error === null ? 0 : property(error, 'code');
  return Number.isInteger(code) && Math.abs(code as number) <= EXIT_CODE ? (code as number) : 1;
}

/** @throws NodewrightError INVALID */
function checkResults(all: readonly Result[]): void {
  all.forEach(({ id, cmd, exitCode, error, downloadUrl }, at) => {
    if (id === undefined && cmd === undefined) throw invalidInput(`tasks.${at}.id`, 'is missing');
    if (exitCode === undefined && error === undefined && downloadUrl === undefined)
      throw invalidInput(`tasks.${at}.exitCode`, "is missing; expected it, or 'error' as agents of RackHD send it");
  });
}

function reportOf(id: string, result: Result): AgentReport {
  const { error, stdout = '', stdoutBytes, encoding, downloadUrl } = result;
  const stderr = result.stderr ?? (typeof error === 'string' ? error : '');
  const text = (said: string) => (encoding === 'base64' ? Buffer.from(said, 'base64').toString() : said);
  return {
    id,
    exitCode: exitCodeOf(result),
    stdout: downloadUrl === undefined ? text(stdout) : returnedBySwitch(text(stdout)),
    stderr: text(stderr),
    ...(stdoutBytes !== undefined && { stdoutBytes }),
  };
}

/** The program of a switch encodes what its script returns, and some return JSON as a text, or another text. */
function returnedBySwitch(stdout: string): string {
  const text = /^\s*"/.test(stdout) ? parsedText(stdout) : undefined;
  if (text === undefined) return stdout;
  return /^\s*[{[]/.test(text) ? text : JSON.stringify({ raw: text });
}

/** @returns undefined: it is no JSON text */
function parsedText(stdout: string): string | undefined {
  try {
    return JSON.parse(stdout) as string;
  } catch {
    return undefined;
  }
}

/** Adjusts `stdoutBytes`, so that hidden secrets are not taken for missing output. */
function withoutSecrets(report: AgentReport, sender: SouthboundSender | undefined): AgentReport {
  const keylessReport = withoutKey(report, sender);
  const hidden = Buffer.byteLength(report.stdout) - Buffer.byteLength(keylessReport.stdout);
  return keylessReport.stdoutBytes === undefined
    ? keylessReport
    : { ...keylessReport, stdoutBytes: keylessReport.stdoutBytes - hidden };
}

const assignments = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([name, value]) => `NODEWRIGHT_${name}=${quote(value)}\n`)
    .join('');

const file = packagePath('api/agent/bootstrap.sh');
let script: string | undefined;

export const taskRoutes = [
  route({
    id: 'getAgentTask',
    summary: 'Get the next command for the agent of a node; 204 if there is none',
    method: 'GET',
    path: '/tasks/:identifier',
    query: taskQuery,
    waitMs: WAIT_MAX * 1_000,
    answer: { status: 200, schema: agentTasks },
    rejections: { 204: 'No command is pending' },
    handle: (call) => nextTask(call as Call<TaskQuery>),
  }),
  route({
    id: 'getAgentTaskWanted',
    summary: 'Check whether a delivered command is still wanted',
    method: 'GET',
    path: '/tasks/:identifier/:command',
    answer: { status: 204 },
    rejections: { 410: 'The command was cancelled, or its workflow has ended' },
    handle: async (call) => {
      const { id } = await sending(call);
      return { status: (await call.engine.agents.isWanted(id, call.params.command ?? '')) ? 204 : 410 };
    },
  }),
  route({
    id: 'postAgentResults',
    summary: 'Submit the results of commands',
    method: 'POST',
    path: '/tasks/:identifier',
    body: results,
    bodyLimit: RESULT_LIMIT,
    answer: { status: 201, schema: taskAssignment },
    handle: async (call) => {
      const { id, knownBy } = await sending(call);
      const { agents } = call.engine;
      const results = call.body.tasks as Result[];
      checkResults(results);
      const ids = await Promise.all(results.map(async (one) => one.id ?? agents.markDelivered(id, one.cmd ?? '')));
      const all = results.map((one, at) => withoutSecrets(reportOf(ids[at] ?? '', one), call.sender));
      const accepted = await agents.report(id, all, knownBy);
      const tasks = all.map((one, at) => ({ id: one.id, accepted: accepted[at] === true }));
      return { body: { identifier: id, tasks } };
    },
  }),
  route({
    id: 'getAgent',
    summary: 'Get the agent for a plain Linux: a shell script configured for this node and daemon',
    method: 'GET',
    path: '/tasks/bootstrap.sh',
    query: Type.Object({ nodeId: nonEmpty }),
    answer: { status: 200, schema: Type.String(), contentType: 'text/x-shellscript' },
    rejections: { 404: 'No such node' },
    handle: async (call) => {
      const { engine, query, authority, sender } = call;
      const id = await nodeIdNamed(engine, query.nodeId);
      await admittedAs(call, id);
      const origin = requireOrigin(call.origin);
      script ??= readFileSync(file, 'utf8');
      // Only the key that the sender presented: the script must not disclose a key to other requesters.
      const who = { NODE: id, KEY: sender?.key?.value ?? '' };
      const scriptVariables = assignments({ API: `${origin}/api/current`, ...who, CA: authority ?? '' });
      const headers = { 'Content-Type': 'text/x-shellscript; charset=utf-8' };
      return { body: `#!/bin/sh\n${scriptVariables}${script}`, headers };
    },
  }),
];
