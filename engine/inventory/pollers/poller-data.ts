/** The newest results of each poller, in one document that each poll replaces. */
import type { PollerReading } from '../../api-port/pollers.ts';
import type { Collection, CollectionSpec, Document } from '../../platform/store/port.ts';

export const pollerDataSpec: CollectionSpec = { name: 'pollerdata', indexes: {} };

/** `id`: the poller's. */
export interface StoredReadings extends Document {
  /** Newest first. */
  readings: PollerReading[];
}

const READINGS_PER_POLLER = 10;

export class PollerData {
  readonly #stored: Collection<StoredReadings>;

  constructor(stored: Collection<StoredReadings>) {
    this.#stored = stored;
  }

  /** Stores a reading. Concurrent polls of one poller, which a process avoids, may lose a result. */
  async add(id: string, reading: PollerReading): Promise<void> {
    const readings = [reading, ...(await this.of(id))].slice(0, READINGS_PER_POLLER);
    if ((await this.#stored.update({ id }, { $set: { readings } })) !== undefined) return;
    await this.#stored.insertMissing([{ id, readings }]);
  }

  async of(id: string): Promise<PollerReading[]> {
    return (await this.#stored.get(id))?.readings ?? [];
  }

  async forget(ids: readonly string[]): Promise<void> {
    await this.#stored.remove({ id: { $in: [...ids] } });
  }
}
