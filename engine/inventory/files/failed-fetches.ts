/** The template or profile that each node last requested in vain, for the question why it does not continue. */
import { LRUCache } from 'lru-cache';
import type { RenderedKind } from '../../api-port/files.ts';
import { LatestOfNodes, type NodeNote } from '../../durable/runtime/latest-of-nodes.ts';
import { now } from '../../platform/lib/clock.ts';
import type { Collection, CollectionSpec } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';

export interface FailedFetch extends NodeNote {
  /** Such as `template centos-ks`. */
  file: string;
  /** null: it was fetched since. */
  message: string | null;
}

export const failedFetchSpec: CollectionSpec = { name: 'fetches', indexes: {} };

const NODES_IN_MEMORY = 10_000;
const MESSAGE = 500;

export class FailedFetches {
  readonly notes: LatestOfNodes<FailedFetch>;
  /** The files that failed last, so that a success costs a write only after a failure. */
  readonly #failing = new LRUCache<string, string>({ max: NODES_IN_MEMORY });

  constructor(stored: Collection<FailedFetch>, failed: (error: unknown) => void) {
    this.notes = new LatestOfNodes('failed fetches', stored, failed);
  }

  /** Renders for a node and notes how that ends. @param render resolves to undefined when there is no such file */
  async noteRendering(node: string, kind: RenderedKind, name: string, render: () => Promise<string | undefined>) {
    const file = `${kind} ${name}`;
    try {
      const text = await render();
      if (text === undefined) this.#noteFailure(node, file, 'there is none of that name');
      else if (this.#failing.get(node) === file) this.#noteSuccess(node, file);
      return text;
    } catch (error) {
      if (error instanceof NodewrightError && error.code === 'INVALID') this.#noteFailure(node, file, error.message);
      throw error;
    }
  }

  #noteFailure(node: string, file: string, message: string): void {
    this.#failing.set(node, file);
    this.notes.add({ id: node, version: now(), file, message: message.slice(0, MESSAGE) });
  }

  #noteSuccess(node: string, file: string): void {
    this.#failing.delete(node);
    this.notes.add({ id: node, version: now(), file, message: null });
  }

  /** @returns undefined if the node got what it requested last */
  async of(node: string): Promise<{ at: string; file: string; message: string } | undefined> {
    const { version, file, message } = (await this.notes.of(node)) ?? { version: 0, file: '', message: null };
    return message === null ? undefined : { at: new Date(version).toISOString(), file, message };
  }
}
