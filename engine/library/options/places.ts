/** Values of `{{ }}` under the names that RackHD has for them; looked up only when the path itself has no value. */
import { isObject, property } from '../../vocabulary/json.ts';
import type { Root } from './expression.ts';

interface PlaceValues {
  readonly api?: unknown;
  readonly server?: unknown;
  readonly env?: unknown;
  readonly context?: unknown;
  readonly task?: unknown;
  /** `context` has the outputs of tasks by label. */
  readonly byLabel?: boolean;
}

const collections: readonly string[] = ['templates', 'profiles', 'lookups', 'files', 'nodes'];
const ofServer: Readonly<Record<string, string>> = { apiServerAddress: 'address', apiServerPort: 'port' };

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((part, key) => property(part, key), value);

/**
 * - `api.templates` and its like: below `api.base`
 * - `config.x`, `server.x`: the address of the daemon, otherwise `env.x` of the configuration
 * - `options.nodeId`: the node of the task, because RackHD gives it to the graphs that name it
 * - `context.outputs["label"].x`: the output of a task of a list; `restData` there is the answer of a REST request
 * - `context.x`: x in the output of any task of a list, because tasks of RackHD share one context; the last one counts
 */
export function elsewhere(root: Root, path: readonly string[], placeValues: PlaceValues): unknown {
  const [first = '', ...rest] = path;
  if (root === 'api' && path.length === 1 && collections.includes(first))
    return `${property(placeValues.api, 'base')}/${first}`;
  if (root === 'config' || root === 'server') {
    const name = Object.hasOwn(ofServer, first) ? ofServer[first] : undefined;
    return name === undefined ? at(placeValues.env, path) : property(placeValues.server, name);
  }
  if (root === 'options') return path.join() === 'nodeId' ? property(placeValues.task, 'nodeId') : undefined;
  if (root !== 'context' || placeValues.byLabel !== true) return undefined;
  if (first === 'outputs') {
    const [label = '', ...field] = rest;
    return at(property(placeValues.context, label), field[0] === 'restData' ? field.slice(1) : field);
  }
  const outputs = Object.values(isObject(placeValues.context) ? placeValues.context : {});
  return outputs.reduce<unknown>((value, output) => at(output, path) ?? value, undefined);
}
