/** The serial consoles of machines: their capture, its log, and what is typed there. */
import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { ConsoleLine } from '../../engine/api-port/index.ts';
import { consoleInput, consoleLine, consoleRecord, newConsole } from '../../engine/api-port/machine-consoles.ts';
import { framesOf } from '../http/event-stream.ts';
import { nodeIdNamed } from '../http/rejections.ts';
import { lastEventId, streamReply } from '../http/replies.ts';
import { type Call, routesOf } from '../http/route.ts';
import { projection } from '../views/projection.ts';

const DEFAULT_LINES = 100;
const MAX_LINES = 1_000;

const route = routesOf('components');
const consoleView = projection(consoleRecord);

const after = Type.Optional(
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'only lines after this `seq`' }),
);

const nodeIn = ({ engine, params }: Pick<Call, 'engine' | 'params'>) => nodeIdNamed(engine, params.identifier);

export const machineConsoleRoutes = [
  route({
    id: 'getConsole',
    summary: 'Get the state of the serial console of a machine',
    method: 'GET',
    path: '/nodes/:identifier/console',
    answer: { status: 200, schema: consoleRecord },
    handle: async (call) => ({ body: consoleView(await call.engine.consoles.get(await nodeIn(call))) }),
  }),
  route({
    id: 'putConsole',
    summary: 'Capture the serial console of a machine',
    method: 'PUT',
    path: '/nodes/:identifier/console',
    body: newConsole,
    answer: { status: 200, schema: consoleRecord },
    rejections: { 409: 'The node has no such obm, or its BMC does not offer the console' },
    handle: async (call) => ({
      body: consoleView(await call.engine.consoles.switchOn(await nodeIn(call), call.body)),
    }),
  }),
  route({
    id: 'deleteConsole',
    summary: 'End the capture of the serial console of a machine; its log stays',
    method: 'DELETE',
    path: '/nodes/:identifier/console',
    answer: { status: 204 },
    handle: async (call) => {
      await call.engine.consoles.switchOff(await nodeIn(call));
      return {};
    },
  }),
  route({
    id: 'listConsoleLines',
    summary: 'List the lines of the serial console of a machine, oldest first',
    method: 'GET',
    path: '/nodes/:identifier/console/log',
    query: Type.Object({ after, limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LINES })) }),
    answer: { status: 200, schema: Type.Array(consoleLine) },
    handle: async (call) => {
      const { after: position = 0, limit = DEFAULT_LINES } = call.query;
      const lines = await call.engine.consoles.log(await nodeIn(call), position, limit);
      const last = lines.length < limit ? undefined : lines.at(-1);
      return { body: lines, next: last && { after: String(last.seq) } };
    },
  }),
  route({
    id: 'followConsole',
    summary: 'Follow the serial console of a machine as Server-Sent Events; `Last-Event-ID` continues after that `seq`',
    method: 'GET',
    path: '/nodes/:identifier/console/stream',
    query: Type.Object({ after }),
    follows: true,
    answer: { status: 200, schema: Type.String(), contentType: 'text/event-stream' },
    rejections: { 429: 'Too many readers follow consoles on this daemon' },
    handle: async (call) => {
      const position = lastEventId(call) ?? call.query.after;
      const batches = await call.engine.consoles.follow(await nodeIn(call), position, call.signal);
      const textOf = ({ lines }: LinesBatch) => lines.map(frameOf).join('');
      return streamReply(Readable.from(framesOf(batchesOf(batches), textOf, call.isAdmitted), { objectMode: false }));
    },
  }),
  route({
    id: 'typeAtConsole',
    summary: 'Type at the serial console of a machine, at most once',
    method: 'POST',
    path: '/nodes/:identifier/console/input',
    resourceGroup: 'consoleInput',
    body: consoleInput,
    answer: { status: 202 },
    rejections: { 409: 'The console is not connected', 429: 'Too many inputs wait' },
    handle: async (call) => {
      const { text } = call.body;
      call.notes.inputLength = text.length;
      await call.engine.consoles.type(await nodeIn(call), text);
      return {};
    },
  }),
];

interface LinesBatch {
  upTo: number;
  lines: ConsoleLine[];
}

async function* batchesOf(batches: AsyncIterable<ConsoleLine[]>): AsyncGenerator<LinesBatch> {
  for await (const lines of batches) yield { upTo: lines.at(-1)?.seq ?? 0, lines };
}

const frameOf = (line: ConsoleLine): string => `id: ${line.seq}\nevent: line\ndata: ${JSON.stringify(line)}\n\n`;
