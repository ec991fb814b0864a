/**
 * The store alone, through its own driver and without our code: the minimum of a workflow, since each step is durable
 * before the next begins. A node is claimed, a row is added and read, and written once for each step, in sequence, with
 * text of a row's length.
 */
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';

/** The size of the row of a workflow with five tasks. */
const ROW_BYTES = 4_000;

interface Stored {
  _id: string;
  version: number;
  text: string;
}

/** @param url of MongoDB */
export async function openStoreAlone(url: string) {
  const client = await MongoClient.connect(url, { writeConcern: { w: 'majority', journal: true } });
  const rows = client.db('alone').collection<Stored>('rows');
  const text = 'x'.repeat(ROW_BYTES);
  const step = (_id: string, version: number) => rows.replaceOne({ _id, version: version - 1 }, { version, text });
  return {
    /** Returns the time of its end. */
    async run(steps: number): Promise<number> {
      const [node, row] = [randomUUID(), randomUUID()];
      await rows.insertOne({ _id: node, version: 1, text: '' });
      await rows.insertOne({ _id: row, version: 1, text });
      await rows.findOne({ _id: row });
      for (let version = 2; version <= steps + 1; version += 1) await step(row, version);
      return performance.now();
    },
    close: () => client.close(),
  };
}
