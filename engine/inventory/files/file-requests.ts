/**
 * Requests about templates, profiles and files: stored for all nodes or for a SKU, and served to a node. Those of the
 * node's SKU take precedence over those for all nodes.
 */
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type {
  FileCondition,
  FileContent,
  FileKind,
  FileName,
  FileRecord,
  Files,
  RenderedKind,
  TemplateTask,
} from '../../api-port/files.ts';
import type { LookupRecord, NodeRecord, Page, PagedList } from '../../api-port/index.ts';
import { Scrubber } from '../../durable/runtime/scrub.ts';
import type { Callbacks } from '../../durable/step/callbacks.ts';
import type { OpenedValue, Vault } from '../../platform/secrets/vault.ts';
import { isStorable } from '../../platform/store/columns.ts';
import { bodyTooLong, limitBytes } from '../../vocabulary/byte-limits.ts';
import { callbackUrl } from '../../vocabulary/callback.ts';
import { permitsFiles } from '../../vocabulary/env-limits.ts';
import { invalidInput, NodewrightError } from '../../vocabulary/errors.ts';
import { MIB } from '../../vocabulary/units.ts';
import type { OpenSkus } from '../skus/skus.ts';
import type { Roots, StoredPack, StoredSku } from '../skus/stored-sku.ts';
import type { BuiltIn } from './built-in.ts';
import type { FailedFetches } from './failed-fetches.ts';
import type { FileStore } from './file-store.ts';
import type { Rendering } from './rendering.ts';
import type { ServedFile } from './served-folder.ts';

/** The modules that files consist of, and the data of nodes and workflows that they read. */
export interface FilesPort {
  fileStore: FileStore;
  builtIn: BuiltIn;
  packs: {
    /** @param name in the archive @returns undefined if the pack has none of that name */
    file(pack: StoredPack, name: string): Promise<ServedFile | undefined>;
  };
  rendering: Rendering;
  failedFetches: Pick<FailedFetches, 'noteRendering'>;
  skus: Pick<OpenSkus, 'skuOf' | 'requests'>;
  vault: Vault;
  nodes: { find(id: string): Promise<NodeRecord | undefined> };
  lookups: { list(page: Page): Promise<PagedList<LookupRecord>> };
  /** Returns the fixed values of `{{ }}`. */
  bindings: { forFile(node: string | null): Promise<BoundFile> };
  workflows: {
    /** Returns the values of `{{ context.x }}` of the workflow on the node; undefined when there is none. */
    templateContext(node: string): Promise<unknown>;
    /** Returns the options of the tasks that wait for the node. */
    templateVariables(node: string): Promise<Record<string, unknown>>;
    /** Returns the callbacks of the workflows on the node. */
    callbacks(node: string): Promise<Callbacks>;
  };
}

/** Maximum bytes of a template or profile, which is held in memory for rendering. */
const TEMPLATE = MIB;
const NAME_BYTES = 512;
/** Limit of lookups per node: a machine has few interfaces, and a template needs the first. */
const LOOKUPS = 100;
/** Number of tries to find a file in a pack that is being replaced. */
const LOOKS = 3;

const noCallbacks: TemplateTask = { callback: null, callbacks: {} };

/** Files of these kinds are sent to nodes; packs have folders of them. */
type ServedKind = RenderedKind | 'file';

const rootOf: Record<ServedKind, keyof Roots> = { template: 'templates', profile: 'profiles', file: 'static' };

export class FileRequests implements Files {
  readonly #port: FilesPort;

  constructor(port: FilesPort) {
    this.#port = port;
  }

  list(kind: FileKind, page: Page): Promise<PagedList<FileRecord>> {
    return this.#port.fileStore.list(kind, page);
  }

  async get(file: FileName): Promise<FileRecord | undefined> {
    return (await this.#port.fileStore.get(file)) ?? this.#recordInPack(file);
  }

  async content(file: FileName): Promise<FileContent | undefined> {
    return (await this.#port.fileStore.open(file)) ?? (await this.#inPackOf(file))?.bytes;
  }

  nameOfContent(kind: FileKind, content: string): Promise<FileName | undefined> {
    return this.#port.fileStore.nameOfContent(kind, content);
  }

  async put(file: FileName, bytes: AsyncIterable<Uint8Array>, condition?: FileCondition): Promise<FileRecord> {
    checkName(file.name);
    const { scope } = file;
    if (scope !== null && (await this.#port.skus.requests.stored.get(scope)) === undefined) {
      throw invalidInput('scope', `${JSON.stringify(scope)} is not a SKU; expected the id of a SKU, or global`);
    }
    return this.#port.fileStore.put(
      file,
      file.kind === 'file' ? bytes : limitBytes(bytes, TEMPLATE, bodyTooLong(TEMPLATE)),
      { condition },
    );
  }

  async remove(file: FileName, condition?: FileCondition): Promise<boolean> {
    const { fileStore, builtIn } = this.#port;
    if ((await builtIn.restore(file, condition)) || (await fileStore.remove(file, condition))) return true;
    if ((await this.#inPackOf(file)) === undefined) return false;
    throw new NodewrightError('CONFLICT', `${file.name} is in the pack of the SKU; upload a pack without it`);
  }

  template = (name: string, node: string | null, more?: Record<string, unknown>) =>
    this.#renderNoted('template', name, node, more);

  profile = async (name: string, node: string | null, more?: Record<string, unknown>) => {
    const script = await this.#renderNoted('profile', name, node, more);
    return script === undefined ? undefined : asIpxeScript(script);
  };

  #renderNoted(kind: RenderedKind, name: string, node: string | null, more?: Record<string, unknown>) {
    const render = () => this.#renderFile(kind, name, node, more);
    return node === null ? render() : this.#port.failedFetches.noteRendering(node, kind, name, render);
  }

  staticFile = (path: string, node: string | null) => this.#findFile('file', path, node);

  async #renderFile(kind: RenderedKind, name: string, node: string | null, more?: Record<string, unknown>) {
    const content = await this.#findFile(kind, name, node);
    if (content === undefined) return undefined;
    if (content.size > TEMPLATE)
      throw new NodewrightError('INVALID', `${name} is longer than ${TEMPLATE} bytes; shorten it`);
    const included = this.#port.builtIn.includedText(content.sha256);
    const template = withTags(included ?? (await text(content.open())));
    const { value, secrets } = await this.#variables(node);
    const variables: Record<string, unknown> = { ...value, ...more };
    // Computed on demand: most templates do not use it, and a rack that boots requests many.
    if (/\btask\b/.test(template)) variables.task ??= await this.#task(node, (variables.api as BoundFile['api']).base);
    try {
      return await this.#port.rendering.render(name, template, variables, included !== undefined);
    } catch (error) {
      throw new Scrubber(this.#port.vault, secrets).rejection(
        this.#explainedError(error, { kind, name, scope: null }, content),
      );
    }
  }

  /** Says if a user's file instead of an included one does not render: the included tasks expect the latter. */
  #explainedError(error: unknown, file: FileName, { sha256 }: FileContent): unknown {
    const isOwn =
      error instanceof NodewrightError && error.code === 'INVALID' && this.#port.builtIn.isReplaced(file, sha256);
    if (!isOwn) return error;
    const way = `DELETE /${file.kind}s/library/${file.name} restores the included one, if it was uploaded for all nodes`;
    return new NodewrightError('INVALID', `${error.message}; it takes the place of the included ${file.kind}: ${way}`);
  }

  /** @param base URL of the API as the node reaches it */
  async #task(node: string | null, base: string): Promise<TemplateTask> {
    if (node === null) return noCallbacks;
    const { open, all } = await this.#port.workflows.callbacks(node);
    const urls = Object.entries(all).map(([label, nonce]) => [label, callbackUrl(base, nonce)]);
    return { callback: open === null ? null : callbackUrl(base, open), callbacks: Object.fromEntries(urls) };
  }

  /** Looks in the files of the node's SKU first, then in those for all nodes. */
  async #findFile(kind: ServedKind, name: string, node: string | null): Promise<FileContent | undefined> {
    const inSku = async (of: string) => this.#ofSku(kind, name, await this.#port.skus.skuOf(of));
    const packContent = node === null ? undefined : await fromCurrentPack(() => inSku(node));
    return packContent ?? this.#port.fileStore.open({ kind, name, scope: null });
  }

  /** Prefers the file that a user put for the SKU over that of the pack, which it replaces. */
  async #ofSku(kind: ServedKind, name: string, sku: StoredSku | undefined): Promise<FileContent | undefined> {
    if (sku === undefined) return undefined;
    return (await this.#port.fileStore.open({ kind, name, scope: sku.id })) ?? this.#inPack(kind, name, sku);
  }

  async #inPack(kind: ServedKind, name: string, { pack }: StoredSku): Promise<FileContent | undefined> {
    const root = pack?.roots[rootOf[kind]] ?? null;
    return pack && root !== null ? this.#port.packs.file(pack, below(root, name)) : undefined;
  }

  /** A template or a profile of the pack of the SKU that is the scope. */
  async #inPackOf({ kind, name, scope }: FileName): Promise<{ sku: StoredSku; bytes: FileContent } | undefined> {
    if (scope === null || kind === 'file' || kind === 'view') return undefined;
    return fromCurrentPack(async () => {
      const sku = await this.#port.skus.requests.stored.get(scope);
      const bytes = sku && (await this.#inPack(kind, name, sku));
      return bytes && { sku, bytes };
    });
  }

  /** It is as old as the SKU, and its bytes are those of the pack. */
  async #recordInPack(file: FileName): Promise<FileRecord | undefined> {
    const packFile = await this.#inPackOf(file);
    if (packFile === undefined) return undefined;
    const { id, createdAt, updatedAt, pack } = packFile.sku;
    const { size, sha256 } = packFile.bytes;
    const md5 = createHash('md5');
    for await (const part of packFile.bytes.open()) md5.update(part);
    return {
      name: file.name,
      scope: id,
      size,
      md5: md5.digest('hex'),
      sha256,
      content: pack?.id ?? id,
      createdAt,
      updatedAt,
    };
  }

  /**
   * Returns the template variables under the names used in the field, decrypted.
   * Unknown ones are null, and render as nothing.
   */
  async #variables(id: string | null): Promise<Omit<OpenedValue<Record<string, unknown>>, 'limits'>> {
    const { nodes, lookups, bindings, workflows, vault } = this.#port;
    const { server, api, file, env, sku } = await bindings.forFile(id);
    const addresses = id === null ? [] : (await lookups.list({ skip: 0, limit: LOOKUPS, filter: { node: id } })).items;
    const at = (path: string) => `${api.base}/${path}`;
    const nodeRecord = id === null ? undefined : await nodes.find(id);
    const { config } = nodeRecord ?? {};
    const encrypted = {
      env,
      sku,
      context: (id === null ? undefined : await workflows.templateContext(id)) ?? {},
      config: config && { config },
      own: id === null ? {} : await workflows.templateVariables(id),
    };
    // Only the config of the node's record is decrypted: no other field of it holds secrets.
    const { value, secrets } = vault.decrypt(encrypted, permitsFiles);
    const variables = {
      // First, because they replace none of the names below.
      ...value.own,
      server: server.address,
      port: server.port,
      file,
      api: { ...api, templates: at('templates'), profiles: at('profiles'), files: at('files'), nodes: at('nodes') },
      macaddress: addresses[0]?.macAddress ?? null,
      ipaddress: addresses.find(({ ipAddress }) => ipAddress !== null)?.ipAddress ?? null,
      node: nodeRecord === undefined ? null : { ...nodeRecord, ...value.config },
      nodeId: id,
      nodeKey: '',
      env: value.env,
      sku: value.sku,
      context: value.context,
    };
    return { value: variables, secrets };
  }
}

/** Looks again when the pack was replaced after its SKU was read. */
async function fromCurrentPack<T>(find: () => Promise<T>): Promise<T> {
  for (let looks = 1; ; looks += 1) {
    try {
      return await find();
    } catch (error) {
      if (!(error instanceof NodewrightError) || error.code !== 'NOT_FOUND' || looks === LOOKS) throw error;
    }
  }
}

/** iPXE takes no text for a script without its first line, which profiles of RackHD leave to the server. */
const asIpxeScript = (text: string): string =>
  /^#!/.test(text) || !/^[ \t]*(kernel|chain|boot|sanboot)\b/m.test(text) ? text : `#!ipxe\n${text}`;

/** Supports `{{ task.callback }}` in templates as in options; all other tags are EJS. */
const withTags = (template: string): string =>
  template
    .replace(/\{\{\s*task\.callback\s*\}\}/g, '<%- task.callback %>')
    .replace(/\{\{\s*task\.callbacks\.([\w:-]+)\s*\}\}/g, '<%- task.callbacks["$1"] %>');

interface BoundFile {
  server: { address: string; port: number };
  api: { server: string; base: string };
  file: { server: string };
  env: Record<string, unknown>;
  sku: Record<string, unknown>;
}

/** @throws NodewrightError INVALID */
function checkName(name: string): void {
  const parts = name.split('/');
  const isPlain = parts.every((part) => !['', '.', '..'].includes(part)) && !/[\p{Cc}\\]/u.test(name);
  if (isPlain && Buffer.byteLength(name) <= NAME_BYTES && isStorable(name)) return;
  throw invalidInput('name', `must be a plain name of at most ${NAME_BYTES} bytes; slashes may separate its parts`);
}

/** Returns the name in the archive of a path below a root. */
const below = (root: string, path: string): string => (root === '' ? path : `${root}/${path}`);
