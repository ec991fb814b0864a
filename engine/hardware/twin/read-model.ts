/** Reads models of machines: those that ship, and files of users, whose mistakes are named by their lines. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { validator } from '../../platform/validation/validator.ts';
import { violationOf } from '../../platform/validation/violation-of.ts';
import { packagePath } from '../../vocabulary/package-path.ts';
import { type Model, modelSchema } from './machine/model.ts';

const FOLDER = 'engine/hardware/twin/models';

/** A file that is no model. Its message begins with the file and the line. */
export class ModelFileError extends Error {
  constructor(file: string, line: number, problem: string) {
    super(`${file}:${line}: ${problem}`);
  }
}

/** The models of servers that ship, by their names. */
export const shippedModels = (): Map<string, Model> => modelsIn(FOLDER);

/** The same for switches, which are in no rack unless they are named. */
export const switchModels = (): Map<string, Model> => modelsIn(`${FOLDER}/switches`);

function modelsIn(place: string): Map<string, Model> {
  const folder = packagePath(place);
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return new Map(
    files.sort().map((name) => [basename(name, '.json'), readModel(readFileSync(join(folder, name), 'utf8'), name)]),
  );
}

/** @param file its name, for errors @throws ModelFileError at the first mistake */
export function readModel(text: string, file: string): Model {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true });
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  const [broken] = errors;
  if (broken !== undefined || root === undefined) {
    const problem = broken === undefined ? 'it is empty' : printParseErrorCode(broken.error);
    throw new ModelFileError(file, lineAt(broken?.offset ?? 0), `found no JSON (${problem}); expected a model`);
  }
  const fail = (path: readonly string[], problem: string): never => {
    throw new ModelFileError(file, lineAt(deepestNode(root, path).offset), problem);
  };
  const model: unknown = JSON.parse(text);
  const wrong = validator.errors(modelSchema, model);
  // A key that is misspelt is missing, too: its own error has its line.
  const error = wrong.find(({ keyword }) => keyword === 'additionalProperties') ?? wrong[0];
  if (error !== undefined) {
    const { path, message } = violationOf(error, 'is not known');
    const { additionalProperty: key } = error.params;
    const names = [...error.instancePath.split('/').slice(1), ...(typeof key === 'string' ? [key] : [])];
    fail(names, typeof key === 'string' ? message : `${path || 'the model'} ${message}`);
  }
  const read = model as Model;
  for (const [path, problem] of contradictions(read)) fail(path, problem);
  return read;
}

type Contradiction = [path: string[], problem: string];

/** Mistakes that no schema shows. */
function* contradictions({ bios, drives, firmware, nics, sensors }: Model): Generator<Contradiction> {
  yield* repetitions('drives', 'name', drives);
  yield* repetitions('nics', 'name', nics);
  yield* repetitions('sensors', 'name', sensors);
  yield* repetitions('firmware', 'id', [{ id: 'BIOS' }, { id: 'BMC' }, ...firmware], 2);
  if (!nics.some(({ boots }) => boots)) yield [['nics'], 'none of nics boots; expected one with boots true'];
  for (const [at, { name, value, values }] of bios.attributes.entries()) {
    if (values !== undefined && !values.some((each) => each === value))
      yield [['bios', 'attributes', String(at), 'value'], `${name} has the value ${value}; expected one of its values`];
  }
}

/** @param before members of the list that are not in the file */
function* repetitions<K extends string>(
  list: string,
  key: K,
  members: readonly Record<K, string>[],
  before = 0,
): Generator<Contradiction> {
  const names = new Set<string>();
  for (const [at, member] of members.entries()) {
    if (names.has(member[key])) yield [[list, String(at - before), key], `${list} has ${member[key]} twice`];
    names.add(member[key]);
  }
}

/** The node of the path, or the innermost one that exists. */
function deepestNode(root: Node, path: readonly string[]): Node {
  const steps = path.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  for (let length = steps.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(root, steps.slice(0, length));
    if (node !== undefined) return node;
  }
  return root;
}
