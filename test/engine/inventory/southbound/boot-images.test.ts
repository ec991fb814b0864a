/** The images from which nodes boot by virtual media: their URLs, their content, and their ejection. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import type { FileContent } from '../../../../engine/api-port/index.ts';
import { ObmError } from '../../../../engine/define/obm.ts';
import type { RedfishDriver } from '../../../../engine/hardware/obm/redfish-at.ts';
import { BootImages, type BootImagesPort } from '../../../../engine/inventory/southbound/boot-images.ts';
import { bootSpec, SouthboundKeys, type StoredBoot } from '../../../../engine/inventory/southbound/southbound-keys.ts';
import { bootImageSpec, type StoredBootImage } from '../../../../engine/inventory/southbound/stored-boot-image.ts';
import { singleNodeCluster } from '../../../../engine/platform/cluster/cluster.ts';
import { textInArea } from '../../../../engine/platform/lib/node-area.ts';
import { withoutNonces } from '../../../../engine/vocabulary/callback.ts';
import { Maintained } from '../../../support/bmcs/maintenance-service.ts';
import { AREA_BYTES, isoWithArea } from '../../../support/data/iso-with-area.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const iso = isoWithArea();

const fileOf = (bytes: Buffer, sha256: string): FileContent => ({
  size: bytes.length,
  sha256,
  open: ({ start, end } = { start: 0, end: bytes.length - 1 }) => Readable.from([bytes.subarray(start, end + 1)]),
});

async function scene(over: Partial<BootImagesPort> = {}) {
  const store = new MemoryStore();
  const keys = new SouthboundKeys(await store.collection<StoredBoot>(bootSpec), ['a secret of the daemon']);
  const ended = new Set<string>();
  const problems: string[] = [];
  const media = new Maintained();
  const passes: (() => Promise<void>)[] = [];
  const port: BootImagesPort = {
    stored: await store.collection<StoredBootImage>(bootImageSpec),
    keys,
    files: { staticFile: async () => fileOf(iso, 'one') },
    agents: { boot: async () => null },
    api: async () => 'http://10.1.1.1:9080/api/current',
    config: async () => ({
      host: '10.1.0.1',
      user: 'root',
      password: 'calvin',
      bootFrom: 'virtual-media',
      network: { mac: '52:54:00:AA:00:01', address: '10.2.0.7/24', gateway: '10.2.0.1', dns: ['10.0.0.53'], vlan: 12 },
    }),
    endOf: async (id) => (ended.has(id) ? 0 : undefined),
    obms: { redfish: async () => bmcOf(media) as RedfishDriver },
    cluster: {
      reconciler(work) {
        passes.push(() =>
          work.pass({ goesOn: async () => true, signal: new AbortController().signal, requests: new Set() }),
        );
        return singleNodeCluster('test').reconciler(work);
      },
    },
    failed: (error) => problems.push(String(error)),
    ...over,
  };
  const images = new BootImages(port);
  const eject = async () => passes[0]?.();
  return { images, eject, keys, ended, stored: port.stored, media, problems };
}

/** A BMC with virtual media (`maintenance-service.ts`). */
function bmcOf(media: Maintained): Partial<RedfishDriver> {
  const ask: RedfishDriver['ask'] = async ({ method, path, body }) => {
    if (path === '/system') return { VirtualMedia: { '@odata.id': '/redfish/v1/Managers/1/VirtualMedia' } };
    const said = media.answer({ method, path, body: (body ?? {}) as Record<string, unknown>, headers: {}, text: '' });
    return (said?.body ?? {}) as Record<string, unknown>;
  };
  return { system: '/system', ask, finish: ask };
}

const tokenIn = (url: string): string => /boot-images\/([^/]*)\/microkernel\.iso$/.exec(url)?.[1] ?? '';

test('an image has the settings and the key of its node, in every range', async (t) => {
  const { images, keys } = await scene();
  const notes: string[] = [];
  const url = await images.urlOf('n1', 'w1', (secret) => notes.push(secret));
  t.deepEqual(notes, [tokenIn(url)]);
  t.is(withoutNonces(url), 'http://10.1.1.1:9080/api/current/boot-images/REDACTED/microkernel.iso');
  const image = await images.content(tokenIn(url));
  const whole = await buffer((image as FileContent).open());
  t.is(whole.length, iso.length);
  const key = keys.keyOf('n1', 'w1');
  t.is(await keys.nodeOf(key), 'n1');
  t.is(
    textInArea(whole.subarray(AREA_BYTES, 2 * AREA_BYTES).toString()),
    `api=http://10.1.1.1:9080/api/current\nnode=n1\nkey=${key}\nnetwork=static\nmac=52:54:00:aa:00:01\naddress=10.2.0.7/24\ngateway=10.2.0.1\nvlan=12\ndns=10.0.0.53\n`,
  );
  t.deepEqual(whole.subarray(0, AREA_BYTES), iso.subarray(0, AREA_BYTES));
  t.deepEqual(whole.subarray(2 * AREA_BYTES), iso.subarray(2 * AREA_BYTES));
  for (const [start, end] of [
    [0, 0],
    [AREA_BYTES - 1, AREA_BYTES],
    [AREA_BYTES + 10, AREA_BYTES + 20],
    [2 * AREA_BYTES - 1, 2 * AREA_BYTES],
    [10, iso.length - 1],
  ] as const)
    t.deepEqual(
      await buffer((image as FileContent).open({ start, end })),
      whole.subarray(start, end + 1),
      `${start}-${end}`,
    );
});

test('a repeated insertion has the same URL; it is valid for one node, until its workflow ends or another one boots the node', async (t) => {
  const { images, ended } = await scene();
  const note = () => {};
  const url = await images.urlOf('n1', 'w1', note);
  t.is(await images.urlOf('n1', 'w1', note), url);
  const token = tokenIn(url);
  const otherToken = tokenIn(await images.urlOf('n2', 'w1', note));
  t.not(token, otherToken);
  t.truthy(await images.content(token));
  for (const wrong of [
    '',
    'nwimg.n1',
    token.slice(0, -1),
    `${token}x`,
    token.replace('n1', 'n2'),
    token.replace('nwimg.', ''),
  ])
    t.is(await images.content(wrong), undefined, wrong);
  const next = tokenIn(await images.urlOf('n1', 'w2', note));
  t.is(await images.content(token), undefined);
  t.truthy(await images.content(next));
  ended.add('w2');
  t.is(await images.content(next), undefined);
});

test('the key of an image is not its secret', async (t) => {
  const { images, keys } = await scene();
  const token = tokenIn(await images.urlOf('n1', 'w1', () => {}));
  t.is(await keys.nodeOf(token.slice('nwimg.'.length)), undefined);
});

test('a node without a usable image, or whose workflow boots an installer, gets no URL', async (t) => {
  const files = (content: FileContent | undefined) => ({ files: { staticFile: async () => content } });
  const filled = isoWithArea().fill('y', AREA_BYTES + 5, AREA_BYTES + 6);
  const cases: [Partial<BootImagesPort>, RegExp][] = [
    [files(undefined), /there is no file common\/microkernel\.iso; build it with/],
    [files(fileOf(isoWithArea(''), 'plain')), /has no area for a node; build it with/],
    [files(fileOf(filled, 'filled')), /has no area/],
    [files(fileOf(Buffer.from('short'), 'short')), /has no area/],
    [
      { agents: { boot: async () => ({ workflow: 'w1', profile: 'install-debian.ipxe' }) } },
      /boots the profile install-debian\.ipxe/,
    ],
  ];
  for (const [over, message] of cases) {
    const { images } = await scene(over);
    await t.throwsAsync(
      images.urlOf('n1', 'w1', () => {}),
      { code: 'OBM_NO_BOOT_IMAGE', message },
    );
  }
});

test('an image is ejected when its workflow has ended, and never that of a newer workflow or of a user', async (t) => {
  const { images, eject, ended, stored, media, problems } = await scene();
  media.media = await images.urlOf('n1', 'w1', () => {});
  await eject();
  t.not(media.media, null, 'its workflow is active');
  ended.add('w1');
  await eject();
  t.deepEqual(media.done.all, ['eject']);
  t.is(await stored.get('n1'), undefined);

  await images.urlOf('n1', 'w1', () => {});
  media.media = 'http://10.1.1.1/installer.iso';
  await eject();
  t.is(media.media, 'http://10.1.1.1/installer.iso');

  // The record is of the old workflow, because the process that replaces it has not come that far.
  await images.urlOf('n1', 'w1', () => {});
  media.media = await (await scene()).images.urlOf('n1', 'w2', () => {});
  await eject();
  t.not(media.media, null);
  t.deepEqual(problems, []);
});

test('a BMC that does not answer is asked again, for a day; one that is gone is not', async (t) => {
  const isDown = new ObmError('OBM_UNREACHABLE', 'no answer');
  const isGone = new ObmError('OBM_MISSING', 'no obm');
  for (const [error, end, stays, reports] of [
    [isDown, Date.now(), true, 0],
    [isDown, 0, false, 1],
    [isGone, Date.now(), false, 0],
  ] as const) {
    const redfish = async () => Promise.reject(error);
    const { images, eject, stored, problems } = await scene({ obms: { redfish }, endOf: async () => end });
    await images.urlOf('n1', 'w1', () => {});
    await eject();
    t.is((await stored.get('n1')) !== undefined, stays);
    t.is(problems.length, reports);
  }
});
