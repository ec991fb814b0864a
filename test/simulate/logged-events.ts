/** The events in the event log of a world: in its tail and in its archive. */
import { inflateRawSync } from 'node:zlib';
import type { VirtualWorld } from '../../engine/assembly/virtual-world.ts';
import { type EventArchivePage, eventArchiveSpec } from '../../engine/events/event-log/event-archive.ts';

export class LoggedEvents {
  readonly #world: VirtualWorld;
  /** The last position that was read. */
  #upTo = 0;

  constructor(world: VirtualWorld) {
    this.#world = world;
  }

  /** @returns the ids of the events since the last call */
  read(): Set<string> {
    const isNew = ({ last }: { last: number }) => last > this.#upTo;
    const pages = [...this.#world.documents.of<EventArchivePage>(eventArchiveSpec).all.values()].filter(isNew);
    const stretches = this.#world.tail.stretches.filter(isNew);
    const texts = [
      ...pages.map(({ lines, packed }) =>
        packed === undefined ? lines : inflateRawSync(Buffer.from(packed, 'base64')).toString(),
      ),
      ...stretches.map(({ lines }) => lines),
    ];
    this.#upTo = Math.max(this.#upTo, ...[...pages, ...stretches].map(({ last }) => last));
    const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line !== '');
    return new Set(lines.map((line) => (JSON.parse(line) as { id: string }).id));
  }
}
