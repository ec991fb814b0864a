/** Definitions put through the API, in the collections `graphs` and `tasks`. */
import {
  type Collection,
  type CollectionSpec,
  type Document,
  DuplicateError,
  type Store,
} from '../../platform/store/port.ts';
import type { Authorship } from '../types.ts';
import type { Draft } from './draft.ts';

export interface ApiDefinition extends Document {
  /** JSON as text, because databases may restrict keys with `$` and dots. */
  text: string;
  /** Absent: the user was unknown. */
  by?: string;
  createdAt: string;
  updatedAt: string;
}

export const apiDefinitionSpecs: Record<Draft['what'], CollectionSpec> = {
  graph: { name: 'graphs', indexes: { createdAt: 'text' } },
  task: { name: 'tasks', indexes: { createdAt: 'text' } },
};

const DEFINITIONS_PER_PAGE = 500;

const definitionOf = ({ id, text, by, updatedAt }: ApiDefinition) => ({
  name: id,
  json: JSON.parse(text) as unknown,
  put: by === undefined ? undefined : { by, at: updatedAt },
});

export class ApiDefinitions {
  private readonly collections: Record<Draft['what'], Collection<ApiDefinition>>;

  private constructor(graph: Collection<ApiDefinition>, task: Collection<ApiDefinition>) {
    this.collections = { graph, task };
  }

  static async open(store: Store): Promise<ApiDefinitions> {
    const { graph, task } = apiDefinitionSpecs;
    return new ApiDefinitions(
      await store.collection<ApiDefinition>(graph),
      await store.collection<ApiDefinition>(task),
    );
  }

  /** Oldest first: definitions claim their names in this order. */
  async all(what: Draft['what']): Promise<{ name: string; json: unknown; put: Authorship | undefined }[]> {
    const documents: ApiDefinition[] = [];
    for (let skip = 0; ; skip += DEFINITIONS_PER_PAGE) {
      const page = await this.collections[what].find({}, { sort: { createdAt: 1 }, skip, limit: DEFINITIONS_PER_PAGE });
      documents.push(...page);
      if (page.length < DEFINITIONS_PER_PAGE) return documents.map(definitionOf);
    }
  }

  async put(what: Draft['what'], name: string, json: unknown, { by, at }: { by: string | undefined; at: string }) {
    const fields = { text: JSON.stringify(json), updatedAt: at, ...(by !== undefined && { by }) };
    try {
      await this.collections[what].insert({ id: name, ...fields, createdAt: at });
    } catch (error) {
      if (!(error instanceof DuplicateError)) throw error;
      await this.collections[what].update({ id: name }, { $set: fields });
    }
  }

  async remove(what: Draft['what'], name: string): Promise<void> {
    await this.collections[what].remove({ id: name });
  }
}
