/**
 * Secrets of a launch: the input of a workflow is scanned once, and each secret in it is stored encrypted from then on.
 *
 * 1. A launch is validated in decrypted form, and saved in encrypted form.
 * 2. A child receives encrypted values from its parent. No other request may contain one: otherwise a user who obtained
 *    an encrypted value could have it decrypted.
 * 3. Options of a graph that a task runs are scanned by that graph's schemas, if its name is known.
 */

import { schemasOf } from '../../durable/runtime/opening.ts';
import { Scrubber } from '../../durable/runtime/scrub.ts';
import { optionOf } from '../../library/forms/needs.ts';
import type { Graph } from '../../library/types.ts';
import type { Secret, Vault } from '../../platform/secrets/vault.ts';
import { conceal, type Hiding } from '../../vocabulary/conceal.ts';
import { encryptedPaths, holdsEncrypted } from '../../vocabulary/encrypted-values.ts';
import { violationError } from '../../vocabulary/errors.ts';
import { isObject, type JsonObject, objectIn } from '../../vocabulary/json.ts';
import { dottedPath } from '../../vocabulary/json-pointer.ts';
import type { CheckedLaunch } from './checked-launch.ts';
import type { NodeGraphs } from './node-graphs.ts';

interface Launch {
  /** Decrypted, for validation. */
  open: { options: JsonObject; bindings: JsonObject };
  /** Encrypted, for storage. */
  encrypted: { options: JsonObject; bindings: JsonObject; encrypted: boolean };
  /** Returns the error without secrets: a task may quote its input. */
  rejection(error: unknown): unknown;
}

/** Limit of graphs scanned by their schemas; options of deeper ones are encrypted by their names only. */
const GRAPHS = 50;

/** @throws NodewrightError SECRET_UNREADABLE, INVALID_OPTIONS */
export async function openLaunch(
  vault: Vault,
  graphs: NodeGraphs,
  graph: Graph,
  launch: CheckedLaunch,
  bindings: JsonObject,
): Promise<Launch> {
  // A child may receive encrypted values; a user must not send any.
  const entered = launch.parent === null && launch.isEncrypted !== true;
  if (entered) rejectEncrypted(launch.options, 'options');
  const open = { options: vault.decrypt(launch.options), bindings: vault.decrypt(bindings) };
  const secrets: Secret[] = [...open.options.secrets, ...open.bindings.secrets];
  const onEncrypted = (secret: Secret) => void secrets.push(secret);
  const hiding = vault.hiding({ entered, encrypted: onEncrypted });
  const options = await new Sealing(graphs, hiding, launch.node).options(graph, launch.options);
  const kept = { options, bindings: conceal([], bindings, vault.hiding({ encrypted: onEncrypted })) as JsonObject };
  return {
    open: { options: open.options.value, bindings: open.bindings.value },
    encrypted: { ...kept, encrypted: secrets.length > 0 || holdsEncrypted(kept) },
    rejection: (error) => (secrets.length === 0 ? error : new Scrubber(vault, secrets).rejection(error)),
  };
}

/**
 * Encrypts options for a graph that is launched later.
 * @param name of the graph, which need not exist yet
 * @param at path of the options, for errors
 * @throws NodewrightError INVALID_OPTIONS
 */
export async function encryptOptions(
  vault: Vault,
  graphs: NodeGraphs,
  name: string | null,
  options: JsonObject,
  at = 'discoveryGraphOptions',
): Promise<JsonObject> {
  rejectEncrypted(options, at);
  const hiding = vault.hiding({ entered: true });
  const graph = name === null ? undefined : await graphs.graph(name, null);
  if (graph === undefined) return conceal([], options, hiding) as JsonObject;
  return new Sealing(graphs, hiding, null).options(graph, options);
}

class Sealing {
  readonly #graphs: NodeGraphs;
  readonly #hiding: Hiding;
  readonly #node: string | null;
  #left = GRAPHS;

  constructor(graphs: NodeGraphs, hiding: Hiding, node: string | null) {
    this.#graphs = graphs;
    this.#hiding = hiding;
    this.#node = node;
  }

  async options(graph: Graph, options: JsonObject): Promise<JsonObject> {
    const encrypted: [string, unknown][] = [];
    for (const [label, own] of Object.entries(options)) {
      const deep = await this.#children(graph, label, options, own);
      encrypted.push([label, conceal(schemasOf(graph, label), deep, this.#hiding)]);
    }
    return Object.fromEntries(encrypted);
  }

  /** Returns the options of a label, with the options of the graph that it runs encrypted. */
  async #children(graph: Graph, label: string, request: JsonObject, own: unknown): Promise<unknown> {
    const found = graph.labels.get(label);
    const runs = found?.task.runs;
    if (found === undefined || runs === undefined || runs === 'unknown' || runs.options === undefined) return own;
    const options = objectIn(own);
    const given = options[runs.options];
    const name = optionOf(graph, found, request, runs.graph);
    this.#left -= 1;
    if (!isObject(given) || typeof name !== 'string' || this.#left < 0) return own;
    const child = await this.#graphs.graph(name, this.#node);
    if (child === undefined) return own;
    return { ...options, [runs.options]: await this.options(child, given) };
  }
}

/** @throws NodewrightError INVALID_OPTIONS for options with values that only the vault can produce */
function rejectEncrypted(options: JsonObject, at: string): void {
  const found = encryptedPaths(options);
  if (found.length === 0) return;
  const violations = found.map((path) => ({
    path: `${at}.${dottedPath(path)}`,
    message: 'contains an encrypted value; give the secret itself',
  }));
  throw violationError(violations, { code: 'INVALID_OPTIONS' });
}
