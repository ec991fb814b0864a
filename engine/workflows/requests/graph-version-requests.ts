/** Requests about the versions of graphs: which there are, and the release of one from quarantine. */
import type { GraphVersion, VersionRequests } from '../../api-port/index.ts';
import type { Runtime } from '../../durable/runtime/runtime.ts';
import type { DefinitionLibrary } from '../../library/versions/library.ts';
import { type Provenance, provenanceOf } from '../../library/versions/provenance.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';

type Libraries = () => Promise<Pick<DefinitionLibrary, 'graph' | 'versionsOf' | 'versionSource'>>;

export class GraphVersionRequests implements VersionRequests {
  readonly #loaded: Libraries;
  readonly #quarantine: Pick<Runtime['quarantine'], 'hasVersions' | 'barOf' | 'releaseVersion'>;

  constructor(loaded: Libraries, { quarantine }: Pick<Runtime, 'quarantine'>) {
    this.#loaded = loaded;
    this.#quarantine = quarantine;
  }

  async list(name: string): Promise<GraphVersion[]> {
    const library = await this.#loaded();
    const served = library.graph(name)?.hash;
    const stored = await library.versionsOf(name);
    const hasBars = stored.length > 0 && (await this.#quarantine.hasVersions());
    const versions: GraphVersion[] = [];
    for (const { id, createdAt, file } of stored) {
      const bar = hasBars ? this.#quarantine.barOf(await this.#codeOf(name, id)) : undefined;
      versions.push({ hash: id, createdAt, file, isCurrent: id === served, quarantine: bar ?? null });
    }
    return versions;
  }

  async release(name: string, hash: string, by?: string): Promise<GraphVersion | undefined> {
    const version = (await this.list(name)).find((one) => one.hash === hash);
    if (version === undefined) return undefined;
    const isReleased = await this.#quarantine.releaseVersion(await this.#codeOf(name, hash), name, by);
    if (isReleased) return { ...version, quarantine: null };
    const text = `version ${hash} of ${name} is not quarantined; expected a quarantined one`;
    throw new NodewrightError('CONFLICT', text);
  }

  /** The user who put it last counts; the archive has the first one. */
  async #codeOf(name: string, hash: string): Promise<Provenance> {
    const library = await this.#loaded();
    const served = library.graph(name);
    if (served?.hash === hash) return provenanceOf(served);
    const source = await library.versionSource(hash);
    return source === undefined ? { version: hash } : provenanceOf({ hash, source });
  }
}
