/**
 * The definitions of a virtual daemon that has one graph to run: the included ones and that graph, and the built-in templates
 * and profiles. All of it is in memory, and templates are rendered on this thread, so that nothing waits for real time.
 */
import { Readable } from 'node:stream';
import type { FileName } from '../api-port/files.ts';
import { includedFiles } from '../inventory/files/built-in.ts';
import { Sandbox } from '../inventory/files/sandbox.mjs';
import type { ServedFile } from '../inventory/files/served-folder.ts';
import { includedDefinitions } from '../kit/definition-files.ts';
import type { Graph } from '../library/types.ts';
import { NodewrightError } from '../vocabulary/errors.ts';
import { MIB } from '../vocabulary/units.ts';
import type { OpenDefinitions } from './definitions.ts';

/** A template that takes longer has no end. */
const RENDER_MS = 10_000;
const TEMPLATE_OUTPUT = 4 * MIB;

/** @param graph takes the place of an included one with its name */
export async function memoryDefinitions(graph: Graph): Promise<OpenDefinitions> {
  const { graphs: included, tasks } = await includedDefinitions();
  const graphs = new Map(included).set(graph.name, graph);
  const byHash = new Map([...graphs.values()].map((one) => [one.hash, one]));
  const library = {
    graph: (name: string) => graphs.get(name),
    task: (name: string) => tasks.get(name),
    graphs: () => [...graphs.values()],
    tasks: () => [...tasks.values()],
    errors: () => [],
    pinnedGraph: async (hash: string) => {
      const pinned = byHash.get(hash);
      if (pinned !== undefined) return pinned;
      throw new NodewrightError('DEFINITION_GONE', `no graph of this daemon has the hash ${hash}`);
    },
    refresh: async () => {},
  };
  const sandbox = await Sandbox.open();
  const bytes = {
    packs: { definitions: async () => [] },
    fileStore: await builtInFiles(),
    builtIn: { isReplaced: () => false, includedText: () => undefined },
    rendering: {
      render: async (name: string, text: string, variables: object) => renderText(sandbox, name, text, variables),
    },
    sweep: async () => {},
    close: async () => {},
  };
  // The other parts of these modules are for packs and for files of users, which a virtual daemon does not have.
  return { library, bytes } as unknown as OpenDefinitions;
}

function renderText(sandbox: Sandbox, name: string, text: string, variables: object): string {
  try {
    return sandbox.render(text, JSON.stringify(variables), RENDER_MS, TEMPLATE_OUTPUT);
  } catch (reason) {
    throw new NodewrightError('INVALID', `${name} does not render: ${String(reason).slice(0, 300)}`);
  }
}

async function builtInFiles() {
  const files = new Map<string, ServedFile>();
  for (const { kind, name, text, sha256 } of await includedFiles())
    files.set(`${kind}:${name}`, { size: text.length, sha256, open: () => Readable.from([text]) });
  return {
    open: async ({ kind, name, scope }: FileName) => (scope === null ? files.get(`${kind}:${name}`) : undefined),
    get: async () => undefined,
    list: async () => ({ items: [], total: 0 }),
  };
}
