/**
 * Ejects the images of the microkernel whose workflows have ended, so that no machine boots one later. A BMC that does not answer
 * is asked again for a day. After that its image stays: its URL and its key are no longer valid.
 */
import type { RedfishDriver } from '../../hardware/obm/redfish-at.ts';
import { onlySystem } from '../../hardware/redfish/service.ts';
import { ejectImages } from '../../hardware/redfish/virtual-media.ts';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import { now } from '../../platform/lib/clock.ts';
import type { Reconciler } from '../../platform/lib/reconciler.ts';
import { groups, pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { codeOf } from '../../vocabulary/thrown-values.ts';
import { DAY_MS } from '../../vocabulary/units.ts';
import type { StoredBootImage } from './stored-boot-image.ts';

export interface EjectionScope {
  stored: Pick<Collection<StoredBootImage>, 'find' | 'remove'>;
  obms: { redfish(node: string): Promise<RedfishDriver> };
  /** Returns when the workflow has ended; undefined while it is active. */
  endOf(workflow: string): Promise<number | undefined>;
  /** Returns the secret in the URL of the image. */
  tokenOf(image: StoredBootImage): string;
  cluster: Pick<Cluster, 'reconciler'>;
  failed(error: unknown): void;
}

const EJECTION_INTERVAL_MS = 5_000;
const BMCS_PER_GROUP = 20;
/** The node has no BMC any more, or none with virtual media. */
const hopeless = ['OBM_MISSING', 'OBM_INVALID', 'OBM_UNSUPPORTED'];

export const ejection = (scope: EjectionScope): Reconciler =>
  scope.cluster.reconciler({
    name: 'boot images',
    everyMs: EJECTION_INTERVAL_MS,
    async pass({ goesOn, signal }) {
      for await (const group of groups(pages(scope.stored, {}), BMCS_PER_GROUP)) {
        if (!(await goesOn())) return;
        await Promise.all(group.map((image) => ejectIfEnded(scope, image, signal)));
      }
    },
    failed: scope.failed,
  });

async function ejectIfEnded(scope: EjectionScope, image: StoredBootImage, signal: AbortSignal): Promise<void> {
  const { stored, endOf, failed } = scope;
  const end = await endOf(image.workflow);
  if (end === undefined) return;
  try {
    await eject(scope, image, signal);
  } catch (error) {
    const isHopeless = hopeless.includes(codeOf(error));
    if (!isHopeless && now() < end + DAY_MS) return;
    if (!isHopeless) failed(error);
  }
  // Unless a newer workflow has inserted its own image.
  await stored.remove({ id: image.id, workflow: image.workflow });
}

async function eject({ obms, tokenOf }: EjectionScope, image: StoredBootImage, signal: AbortSignal): Promise<void> {
  const redfish = await obms.redfish(image.id);
  const ask = (request: Parameters<typeof redfish.ask>[0]) => redfish.ask(request, signal);
  const finish = (request: Parameters<typeof redfish.ask>[0]) => redfish.finish(request, signal);
  const system = async () => redfish.system ?? (await onlySystem(ask));
  const token = tokenOf(image);
  // Some BMCs show only the name of the file.
  const isOwn = (url: string) => url.includes(token) || (!url.includes('nwimg.') && url.endsWith('microkernel.iso'));
  await ejectImages({ ask, finish, system }, isOwn);
}
