/** The events in the event log of a world: in its tail and in its archive. */
import { inflateRawSync } from 'node:zlib';
import type { VirtualWorld } from '../../engine/assembly/virtual-world.ts';
import { type EventArchivePage, eventArchiveSpec } from '../../engine/events/event-log/event-archive.ts';

/** Two rounds: what the oracle has heard since it last looked is younger. */
const PAGES = 400;

/** @returns their ids */
export function loggedEvents(world: VirtualWorld): Set<string> {
  const archived = [...world.documents.of<EventArchivePage>(eventArchiveSpec).all.values()].slice(-PAGES);
  const texts = archived.map(({ lines, packed }) =>
    packed === undefined ? lines : inflateRawSync(Buffer.from(packed, 'base64')).toString(),
  );
  const lines = [...texts, ...world.tail.stretches.map((stretch) => stretch.lines)].flatMap((text) => text.split('\n'));
  return new Set(lines.filter((line) => line !== '').map((line) => (JSON.parse(line) as { id: string }).id));
}
