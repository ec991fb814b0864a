/** /workflows/graphs/:name/simulate and /check: the code of a graph runs in memory. For users who may launch it. */
import { type Static, Type } from 'typebox';
import type { Engine, PlayMove, SimulationRequest } from '../../engine/api-port/index.ts';
import { anyObject, orNull, words } from '../../engine/api-port/schemas.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import type { JsonObject } from '../../engine/vocabulary/json.ts';
import { DAY_MS } from '../../engine/vocabulary/units.ts';
import { narrowedPage, wholePage } from '../http/list.ts';
import { nodeNamed, requireFound } from '../http/rejections.ts';
import { OPTIONS_LIMIT, route } from '../http/route.ts';
import { findingsRecord } from '../views/definition.ts';
import { simulationRecord } from '../views/simulation.ts';

const MOVES = 500;
/** ms; a hundred years. */
const MAX_ADVANCE_MS = 100 * 365 * DAY_MS;

const moveKinds = ['end', 'fail', 'notify', 'advance', 'cancel', 'crash'] as const;

const moveBody = Type.Object(
  {
    do: words(moveKinds),
    label: Type.Optional(Type.String({ maxLength: 1_024, description: 'of `end` and `fail`; may be of `notify`' })),
    output: Type.Optional(Type.Unknown({ description: 'of `end`; absent: the one that `open` names' })),
    code: Type.Optional(Type.String({ pattern: '^[A-Z][A-Z0-9_]*$', maxLength: 128, description: 'of `fail`' })),
    data: Type.Optional({ ...anyObject, description: 'of `notify`: its parameters' }),
    ms: Type.Optional(Type.Number({ minimum: 0, maximum: MAX_ADVANCE_MS, description: 'of `advance`' })),
  },
  { additionalProperties: false },
);

const simulationBody = Type.Object(
  {
    options: Type.Optional(Type.Record(Type.String(), anyObject)),
    node: Type.Optional(
      orNull(Type.String({ minLength: 1, description: 'a node of which a recording is made; null: no node' })),
    ),
    recording: Type.Optional({ ...anyObject, description: 'instead of `node`: as `nw record` writes it' }),
    moves: Type.Array(moveBody, { maxItems: MOVES }),
  },
  { additionalProperties: false },
);

type Move = Static<typeof moveBody>;

/** The parts that each move must have, and those that it may have. */
const parts: Record<Move['do'], { must: readonly (keyof Move)[]; may: readonly (keyof Move)[] }> = {
  end: { must: ['label'], may: ['output'] },
  fail: { must: ['label'], may: ['code'] },
  notify: { must: [], may: ['data', 'label'] },
  advance: { must: ['ms'], may: [] },
  cancel: { must: [], may: [] },
  crash: { must: [], may: [] },
};

/** @throws NodewrightError INVALID */
function checkedMove(move: Move, at: number): PlayMove {
  const { must, may } = parts[move.do];
  for (const part of must)
    if (move[part] === undefined) throw invalidInput(`moves.${at}.${part}`, `is missing; ${move.do} needs it`);
  for (const part of Object.keys(move) as (keyof Move)[])
    if (part !== 'do' && !must.includes(part) && !may.includes(part))
      throw invalidInput(`moves.${at}.${part}`, `is not a part of ${move.do}`);
  return move as PlayMove;
}

/** Records that hold the outputs of the latest runs, as in `nw record`. */
const MAX_WORKFLOWS = 20;
const MAX_CATALOGS = 100;

async function answersOf(engine: Engine, identifier: string): Promise<NonNullable<SimulationRequest['node']>> {
  const node = await nodeNamed(engine, identifier);
  const page = { ...narrowedPage(wholePage(), { node: node.id }), sort: { createdAt: -1 as const } };
  const catalogs = await engine.catalogs.latestOfSources({ ...page, limit: MAX_CATALOGS });
  const workflows = await engine.workflows.list({ ...page, limit: MAX_WORKFLOWS });
  const sku = node.sku === null ? undefined : await engine.skus.get(node.sku);
  return {
    node,
    catalogs: catalogs.items,
    workflows: workflows.items,
    sku: sku === undefined ? null : (sku as unknown as JsonObject),
  };
}

const noGraph = (name: string) => new NodewrightError('NOT_FOUND', `Graph definition not found for ${name}`);

export const simulationRoutes = [
  route({
    id: 'simulateGraph',
    summary: 'Simulate a workflow of a graph in memory, move by move; nothing is started or stored',
    method: 'POST',
    path: '/workflows/graphs/:name/simulate',
    resourceGroup: 'components',
    computes: true,
    body: simulationBody,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 200, schema: simulationRecord },
    rejections: {
      404: 'No such graph or node',
      409: 'The daemon would not launch it, or its code has stopped a daemon',
    },
    handle: async ({ engine, body, params: { name = '' } }) => {
      const { node, recording, options, moves } = body;
      if (node !== undefined && recording !== undefined) throw invalidInput('recording', 'or node: give one of them');
      const answers = typeof node === 'string' ? await answersOf(engine, node) : node;
      const played = await engine.simulations.play(name, {
        moves: moves.map(checkedMove),
        ...(answers !== undefined && { node: answers }),
        ...(recording !== undefined && { recording }),
        ...(options !== undefined && { options }),
      });
      return { body: { graph: name, ...requireFound(played, () => noGraph(name)) } };
    },
  }),
  route({
    id: 'checkServedGraph',
    summary: 'Check a graph that is served, also one from a file: warnings, and what was explored',
    method: 'POST',
    path: '/workflows/graphs/:name/check',
    resourceGroup: 'components',
    computes: true,
    answer: { status: 200, schema: findingsRecord },
    rejections: { 409: 'Its code has stopped a daemon' },
    handle: async ({ engine, params: { name = '' } }) => ({
      status: 200,
      body: requireFound(await engine.simulations.check(name), () => noGraph(name)),
    }),
  }),
];
