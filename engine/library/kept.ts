/** Definitions put through the API, in the collections `graphs` and `tasks`. */
import { type Collection, type Document, DuplicateError, type Store } from '../store/port.ts';
import type { Candidate } from './candidate.ts';

interface KeptDefinition extends Document {
  /** JSON as text, because databases may restrict keys with `$` and dots. */
  text: string;
  createdAt: string;
  updatedAt: string;
}

const PAGE = 500;

export class Kept {
  private readonly collections: Record<Candidate['what'], Collection<KeptDefinition>>;

  private constructor(graph: Collection<KeptDefinition>, task: Collection<KeptDefinition>) {
    this.collections = { graph, task };
  }

  static async open(store: Store): Promise<Kept> {
    const collection = (name: string) =>
      store.collection<KeptDefinition>({ name, indexes: { createdAt: 'text' }, unique: [] });
    return new Kept(await collection('graphs'), await collection('tasks'));
  }

  /** Oldest first, which is the order of their claims on names. */
  async all(what: Candidate['what']): Promise<{ name: string; json: unknown }[]> {
    const found: KeptDefinition[] = [];
    for (let skip = 0; ; skip += PAGE) {
      const page = await this.collections[what].find({}, { sort: { createdAt: 1 }, skip, limit: PAGE });
      found.push(...page);
      if (page.length < PAGE) return found.map(({ id, text }) => ({ name: id, json: JSON.parse(text) }));
    }
  }

  async put(what: Candidate['what'], name: string, json: unknown): Promise<void> {
    const at = new Date().toISOString();
    const text = JSON.stringify(json);
    try {
      await this.collections[what].insert({ id: name, text, createdAt: at, updatedAt: at });
    } catch (error) {
      if (!(error instanceof DuplicateError)) throw error;
      await this.collections[what].update({ id: name }, { $set: { text, updatedAt: at } });
    }
  }

  async remove(what: Candidate['what'], name: string): Promise<void> {
    await this.collections[what].remove({ id: name });
  }
}
