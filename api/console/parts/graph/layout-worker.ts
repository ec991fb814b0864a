/** Lays out graphs with ELK in a worker, so that the page stays quick. Layouts are kept by the hash of the definition. */
import type { ELK, ELKConstructorArguments } from 'elkjs/lib/elk-api.js';
import * as elkModule from 'elkjs/lib/elk-api.js';
import workerAddress from 'elkjs/lib/elk-worker.min.js';
import type { MachineView } from '../../../../engine/vocabulary/machine-shape.ts';
import { type GraphLayout, graphLayout } from '../../../client/graph-layout.ts';
import type { UnfoldedGraph } from './drawing-props.ts';
import { viewsOf } from './drawn-parts.ts';
import { rowLayout } from './row-layout.ts';
import { STATE_WIDTH } from './task-line.ts';

/** ms */
const LONGEST_MS = 60_000;
const CACHED_LAYOUTS = 30;

type ElkClass = new (options: ELKConstructorArguments) => ELK;
// It is a CommonJS module, whose class is one level deeper than its types say.
const { default: Elk } = (elkModule as unknown as { default: { default: ElkClass } }).default;

const layouts = new Map<string, Promise<GraphLayout>>();

/**
 * @param width px that a row of boxes may have
 * @throws Error when the worker fails or takes too long
 */
export function layoutOf(view: MachineView, unfolded: readonly UnfoldedGraph[], width: number): Promise<GraphLayout> {
  const key = `${width} ${layoutKey(view, unfolded)}`;
  const cachedLayout = layouts.get(key);
  if (cachedLayout !== undefined) return cachedLayout;
  const [oldest] = layouts.keys();
  if (layouts.size >= CACHED_LAYOUTS && oldest !== undefined) layouts.delete(oldest);
  const newLayout = laidOut(view, unfolded, width);
  layouts.set(key, newLayout);
  newLayout.catch(() => layouts.delete(key));
  return newLayout;
}

/** Drawings with the same key have the same layout. */
export const layoutKey = (view: MachineView, unfolded: readonly UnfoldedGraph[]): string =>
  [`${view.graph} ${view.definitionHash}`, ...unfolded.map((part) => `${part.label} ${part.view.definitionHash}`)].join(
    '\n',
  );

/** Each layout has its own worker: a hard one delays no other, and can be ended. */
async function laidOut(view: MachineView, unfolded: readonly UnfoldedGraph[], width: number): Promise<GraphLayout> {
  const worker = new Worker(trustedUrl(workerAddress));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const failed = new Promise<never>((_, reject) => {
    worker.addEventListener('error', () => reject(new Error('The layout of the graph failed')));
    timer = setTimeout(() => reject(new Error('The layout of the graph took too long')), LONGEST_MS);
  });
  try {
    const elk = new Elk({ workerFactory: () => worker });
    const form = { stateWidth: STATE_WIDTH, direction: 'RIGHT', unfolded: viewsOf(unfolded) } as const;
    return await Promise.race([rowLayout(graphLayout(view, form), (level) => elk.layout(level), width), failed]);
  } finally {
    clearTimeout(timer);
    worker.terminate();
  }
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(address: string): string },
  ): {
    createScriptURL(address: string): string;
  };
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };

/** Allows the worker's address, which the build determines, and no other. */
const policy = trustedTypes?.createPolicy('graph-layout', {
  createScriptURL(address) {
    if (address !== workerAddress) throw new TypeError('Expected the address of the worker');
    return address;
  },
});

const trustedUrl = (address: string): string => policy?.createScriptURL(address) ?? address;
