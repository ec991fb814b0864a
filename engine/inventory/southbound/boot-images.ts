/**
 * The image of the microkernel that a BMC presents to its machine as a CD, for nodes that do not boot from the network. It is a
 * file of the file store; while it is sent, its area (`node-area.ts`) gets the settings and the key of one node.
 *
 * 1. Its URL has a secret, because a BMC sends no key: the URL is valid for the BMC of one node, while the workflow that
 *    boots the node is active. The secret is derived, so a repeated insertion has the same URL.
 * 2. The record of an image is written before the BMC gets the URL, and removed after the image was ejected: when its workflow has
 *    ended, whatever its end. A newer workflow replaces the record.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Agents } from '../../api-port/agents.ts';
import type { FileContent, Files } from '../../api-port/files.ts';
import type { BootImageRequests } from '../../api-port/southbound.ts';
import { ObmError } from '../../define/obm.ts';
import type { NoteSecret } from '../../hardware/obm/note-secret.ts';
import { mediaBootOf } from '../../hardware/obm/obm-settings.ts';
import { AREA_LINE, filledArea, type NodeArea, nodeAreaIn } from '../../platform/lib/node-area.ts';
import type { Reconciler } from '../../platform/lib/reconciler.ts';
import type { Collection } from '../../platform/store/port.ts';
import { formatImageToken } from '../../vocabulary/callback.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import { type EjectionScope, ejection } from './boot-image-ejection.ts';
import { nodeSettings } from './node-settings.ts';
import type { SouthboundKeys } from './southbound-keys.ts';
import type { StoredBootImage } from './stored-boot-image.ts';

export interface BootImagesPort extends Omit<EjectionScope, 'stored' | 'tokenOf'> {
  stored: Collection<StoredBootImage>;
  keys: Pick<SouthboundKeys, 'begin' | 'keyOf'>;
  files: Pick<Files, 'staticFile'>;
  agents: Pick<Agents, 'boot'>;
  /** Returns the base URL of the southbound API for a node. */
  api(node: string): Promise<string>;
  /** Returns the config of the node's Redfish obm. */
  config(node: string): Promise<JsonObject | undefined>;
}

const IMAGE = 'common/microkernel.iso';
const PROFILE = 'linux.ipxe';
const TOKEN = /^nwimg\.([\w-]{1,64})\.[\w-]{43}$/;
/** Images whose area is remembered: sites have one, and some SKUs their own. */
const AREAS = 32;

export class BootImages implements BootImageRequests {
  readonly #port: BootImagesPort;
  readonly ejection: Reconciler;
  /** By SHA-256. */
  readonly #areas = new Map<string, NodeArea>();

  constructor(port: BootImagesPort) {
    this.#port = port;
    this.ejection = ejection({ ...port, tokenOf: this.#tokenOf });
  }

  /**
   * Returns the URL of the image from which the workflow boots the node, and makes it valid.
   * @throws ObmError OBM_NO_BOOT_IMAGE
   */
  async urlOf(node: string, workflow: string, note: NoteSecret): Promise<string> {
    const { agents, keys, stored, api } = this.#port;
    const { profile = PROFILE } = (await agents.boot(node)) ?? {};
    if (profile !== PROFILE) {
      const advice = 'boot the node from the network, or install by Graph.InstallOs.Image';
      throw rejectedError(`the workflow boots the profile ${profile}, virtual media only the microkernel; ${advice}`);
    }
    await this.#imageOf(node);
    await keys.begin(node, workflow, null);
    const change = { workflow, updatedAt: new Date().toISOString() };
    const update = () => stored.update({ id: node }, { $set: change });
    if ((await update()) === undefined && !(await stored.insertMissing([{ id: node, ...change }]))[0]) await update();
    const token = this.#tokenOf({ id: node, workflow });
    note(token);
    return `${await api(node)}/boot-images/${token}/microkernel.iso`;
  }

  async content(token: string): Promise<FileContent | undefined> {
    const { stored, endOf } = this.#port;
    const [, node] = TOKEN.exec(token) ?? [];
    const image = node === undefined ? undefined : await stored.get(node);
    if (image === undefined) return undefined;
    const isOwn = timingSafeEqual(Buffer.from(token), Buffer.from(this.#tokenOf(image)));
    if (!isOwn || (await endOf(image.workflow)) !== undefined) return undefined;
    const { file, area } = await this.#imageOf(image.id);
    return withArea(file, area, filledArea(await this.#settingsOf(image), area));
  }

  readonly #tokenOf = ({ id, workflow }: Pick<StoredBootImage, 'id' | 'workflow'>): string =>
    formatImageToken(this.#port.keys.keyOf(id, `image ${workflow}`));

  async #settingsOf({ id: node, workflow }: StoredBootImage): Promise<string> {
    const { api, config, keys } = this.#port;
    const { network } = mediaBootOf(await config(node)) ?? {};
    return nodeSettings({ api: await api(node), node, key: keys.keyOf(node, workflow) }, network);
  }

  async #imageOf(node: string): Promise<{ file: FileContent; area: NodeArea }> {
    const file = await this.#port.files.staticFile(IMAGE, node);
    const advice =
      'build it with fixtures/microkernel/build.sh, and upload it with PUT /files/common%2Fmicrokernel.iso';
    if (file === undefined) throw rejectedError(`there is no file ${IMAGE}; ${advice}`);
    const area = this.#areas.get(file.sha256) ?? (await areaOf(file));
    if (area === undefined) throw rejectedError(`the file ${IMAGE} has no area for a node; ${advice}`);
    if (this.#areas.size >= AREAS) this.#areas.clear();
    this.#areas.set(file.sha256, area);
    return { file, area };
  }
}

const rejectedError = (problem: string) => new ObmError('OBM_NO_BOOT_IMAGE', problem, { retry: false });

/** @returns undefined unless the line names an area that is empty */
async function areaOf({ size, open }: FileContent): Promise<NodeArea | undefined> {
  if (size <= AREA_LINE.end) return undefined;
  const area = nodeAreaIn(await text(open(AREA_LINE)));
  if (area === undefined || area.end > size) return undefined;
  for await (const part of open({ start: area.start, end: area.end - 1 }))
    if ((part as Buffer).some((byte) => byte !== 0)) return undefined;
  return area;
}

/** Returns the file with other bytes in its area. */
function withArea({ size, sha256, open }: FileContent, { start, end }: NodeArea, bytes: Buffer): FileContent {
  async function* parts(first: number, last: number): AsyncGenerator<Uint8Array> {
    if (first < start) yield* open({ start: first, end: Math.min(last, start - 1) });
    const inArea = bytes.subarray(Math.max(0, first - start), Math.max(0, last + 1 - start));
    if (inArea.length > 0) yield inArea;
    if (last >= end) yield* open({ start: Math.max(first, end), end: last });
  }
  return {
    size,
    sha256: createHash('sha256').update(sha256).update(bytes).digest('hex'),
    open: (range = { start: 0, end: size - 1 }) => Readable.from(parts(range.start, range.end)),
  };
}
