/**
 * A recording of a node: what a real node answered, for simulations. It has no secrets, and a bounded size.
 */

import { type Static, Type } from 'typebox';
import { redact } from '../vocabulary/conceal.ts';
import { isObject, type JsonObject } from '../vocabulary/json.ts';
import { jsonBytes } from '../vocabulary/json-bytes.ts';
import { MIB } from '../vocabulary/units.ts';
import type { TaskOutputs } from './call-ends.ts';
import { readJsonFile } from './json-file.ts';

const Texts = Type.Array(Type.String());

export const recordingSchema = Type.Object(
  {
    format: Type.Literal('nodewright recording 1'),
    node: Type.Object({ type: Type.String(), name: Type.String(), identifiers: Texts, tags: Texts }),
    /** The services of its obms. */
    obms: Texts,
    /** For `{{ sku }}` in templates. */
    sku: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
    /** By source: the data of the latest catalog. */
    catalogs: Type.Record(Type.String(), Type.Unknown()),
    /** By task name: outputs of the tasks of earlier workflows, the newest first. */
    outputs: Type.Record(Type.String(), Type.Array(Type.Unknown())),
    /** Parts that were left out, because they are too large. */
    left: Texts,
  },
  { additionalProperties: false, title: 'Recording' },
);

export type Recording = Static<typeof recordingSchema>;

/** Answers of the API about one node; each may have more fields. */
export interface NodeAnswers {
  /** `GET /nodes/:id` */
  node: { type: string; name: string; identifiers?: string[]; tags?: string[]; obms?: readonly { service: string }[] };
  /** `GET /nodes/:id/catalogs`, in any order */
  catalogs: readonly { source: string; data: unknown; createdAt: string }[];
  /** `GET /skus/:id` of its SKU; null: it has none */
  sku: JsonObject | null;
  /** `GET /nodes/:id/workflows`, in any order */
  workflows: readonly {
    createdAt: string;
    tasks: readonly { taskName: string; state: string; output: unknown; finishedAt: string | null }[];
  }[];
}

const CATALOG_BYTES = 512 * 1024;
const OUTPUT_BYTES = 64 * 1024;
const RECORDING_BYTES = 8 * MIB;
/** Per task. */
const OUTPUTS = 3;

/** Bytes that are left, and the names of what did not fit. */
class Budget {
  readonly left: string[] = [];
  #bytes = RECORDING_BYTES;

  /** Returns the value without secrets; undefined: it does not fit. */
  fitValue(name: string, value: unknown, limit: number): unknown {
    const redactedValue = redact([], value);
    const size = jsonBytes(redactedValue);
    if (size <= Math.min(limit, this.#bytes)) {
      this.#bytes -= size;
      return redactedValue;
    }
    this.left.push(name);
    return undefined;
  }
}

/** Makes a recording of a node from the API's answers. Secrets are REDACTED, by the rules of records and logs. */
export function recordingOf({ node, catalogs, sku, workflows }: NodeAnswers): Recording {
  const budget = new Budget();
  const { type, name, identifiers = [], tags = [], obms = [] } = node;
  const fields = sku === null ? null : budget.fitValue('sku', plainSku(sku), OUTPUT_BYTES);
  return {
    format: 'nodewright recording 1',
    node: { type, name, identifiers, tags },
    obms: [...new Set(obms.map(({ service }) => service))].sort(),
    sku: isObject(fields) ? fields : null,
    catalogs: catalogsIn(catalogs, budget),
    outputs: outputsIn(workflows, budget),
    left: budget.left,
  };
}

/** Templates do not see the rules. */
const plainSku = ({ rules: _rules, packInfo: _info, ...fields }: JsonObject): JsonObject => fields;

const newestFirst = <T>(items: readonly T[], at: (item: T) => string): T[] =>
  items.toSorted((a, b) => (at(a) < at(b) ? 1 : at(a) > at(b) ? -1 : 0));

function catalogsIn(catalogs: NodeAnswers['catalogs'], budget: Budget): Recording['catalogs'] {
  const catalogsBySource = new Map<string, unknown>();
  for (const { source, data } of newestFirst(catalogs, ({ createdAt }) => createdAt)) {
    if (catalogsBySource.has(source)) continue;
    catalogsBySource.set(source, budget.fitValue(`catalogs.${source}`, data, CATALOG_BYTES));
  }
  return Object.fromEntries(
    [...catalogsBySource].filter(([, data]) => data !== undefined).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function outputsIn(workflows: NodeAnswers['workflows'], budget: Budget): Recording['outputs'] {
  const runs = workflows
    .flatMap(({ tasks }) => tasks)
    .filter(({ state, output }) => state === 'succeeded' && output !== null);
  const outputsByTask = new Map<string, unknown[]>();
  for (const { taskName, output } of newestFirst(runs, ({ finishedAt }) => finishedAt ?? '')) {
    const taskOutputs = outputsByTask.get(taskName) ?? [];
    if (taskOutputs.length >= OUTPUTS) continue;
    const fittedOutput = budget.fitValue(`outputs.${taskName}`, output, OUTPUT_BYTES);
    if (fittedOutput !== undefined) outputsByTask.set(taskName, [...taskOutputs, fittedOutput]);
  }
  return Object.fromEntries(
    [...outputsByTask].sort(([a], [b]) => (a < b ? -1 : 1)),
  ) satisfies TaskOutputs as Recording['outputs'];
}

/**
 * Reads a recording, as `nw record NODE > file` writes it.
 * @throws NodewrightError INVALID, with the name of the file and what is wrong with it
 */
export const readRecording = (file: string): Recording =>
  readJsonFile(file, recordingSchema, 'record the node again: nw record NODE > file');
