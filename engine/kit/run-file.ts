/** A run: a workflow's record and its whole history, as the API answers them, in one file. */
import { type Static, Type } from 'typebox';
import { taskStates, workflowStatuses } from '../vocabulary/states.ts';
import { readJsonFile } from './json-file.ts';

const words = (values: readonly string[]) => Type.Unsafe<string>({ type: 'string', enum: [...values] });
const orNull = <T extends object>(schema: T) => Type.Union([schema, Type.Null()]);
const Free = Type.Record(Type.String(), Type.Unknown());

const Line = Type.Object({
  version: Type.Integer({ minimum: 1 }),
  at: Type.String(),
  event: Type.String(),
  label: Type.Optional(Type.String()),
  from: Type.Unknown(),
  to: Type.Unknown(),
  attempt: Type.Optional(Type.Integer()),
  error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
  by: Type.Optional(Type.String()),
  cause: Type.Optional(Type.Object({ kind: Type.String(), ref: orNull(Type.String()) })),
});

const Task = Type.Object({
  label: Type.String(),
  taskName: Type.String(),
  state: words(taskStates),
  attempts: Type.Integer(),
  startedAt: orNull(Type.String()),
  finishedAt: orNull(Type.String()),
  output: Type.Unknown(),
});

const runSchema = Type.Object({
  /** `GET /workflows/:id` */
  workflow: Type.Object({
    injectableName: Type.String(),
    definitionHash: Type.String(),
    node: orNull(Type.String()),
    status: words(workflowStatuses),
    options: Free,
    retryOf: Type.Optional(orNull(Type.String())),
    tasks: Type.Array(Task),
    createdAt: Type.String(),
  }),
  /** `GET /workflows/:id/history`, all of it, oldest first */
  history: Type.Array(Line, { minItems: 1 }),
});

export type RecordedRun = Static<typeof runSchema>;
export type RecordedLine = RecordedRun['history'][number];

/**
 * Reads a run, as `nw history ID --export file` writes it.
 * @throws NodewrightError INVALID, with the name of the file and what is wrong with it
 */
export const recordedRun = (file: string): RecordedRun =>
  readJsonFile(file, runSchema, 'export the workflow again: nw history ID --export file');
