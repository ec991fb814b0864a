/** The boot of a twin's machine from an image of the microkernel in the virtual media of its BMC. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { runMachine } from '../../../../engine/hardware/twin/life.ts';
import { imageOnMedia } from '../../../../engine/hardware/twin/media-boot.ts';
import { filledArea } from '../../../../engine/platform/lib/node-area.ts';
import type { Scope } from '../../../support/ava/scope.ts';
import { twinMachine } from '../../../support/bmcs/twin-bmc.ts';
import { AREA_BYTES, isoWithArea } from '../../../support/data/iso-with-area.ts';
import { Hearing } from '../../../support/servers/hearing.ts';

const NODE_ID = '00000000-0000-4000-8000-000000000001';
const area = { start: AREA_BYTES, end: 2 * AREA_BYTES };

/** Serves ranges of an image and hears who asks for what. */
async function served(t: Scope, image: Buffer) {
  const asked = new Hearing<string>();
  const server = createServer(({ url, headers, socket }, response) => {
    asked.add(`${url} from ${socket.remoteAddress}`);
    const [, first = 0, last = 0] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    if (headers.range === undefined) response.writeHead(404).end();
    else response.writeHead(206).end(image.subarray(Number(first), Number(last) + 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function isoFor(text: string): Buffer {
  const image = isoWithArea();
  filledArea(text, area).copy(image, area.start);
  return image;
}

test('a machine with the boot override reads its settings as its BMC, and begins the agent by them without a request for a profile', async (t) => {
  const settings = (url: string) => `api=${url}\nnode=${NODE_ID}\nkey=k.1\nnetwork=static\naddress=10.2.0.7/24\n`;
  const { asked, url } = await served(t, isoFor(settings('http://127.0.0.1:1/api/current')));
  const { machine, state, ledger } = twinMachine({ speed: 100_000 });
  state.bmc.media = { Cd: `${url}/microkernel.iso` };
  state.bmc.override = { target: 'Cd', enabled: 'Once', mode: 'UEFI' };
  state.power = { is: 'On' };
  state.phase = { name: 'post', until: 0 };
  const booted = new Promise<void>((resolve) => {
    const { save } = machine.around;
    machine.around.save = async (saved, line) => {
      await save(saved, line);
      if (state.phase.name === 'agent') resolve();
    };
  });
  const living = runMachine(machine);
  await booted;
  machine.stop();
  await living;
  t.deepEqual(state.phase, {
    name: 'agent',
    image: {
      kernel: 'microkernel.iso',
      cmdline: `nodewright.api=http://127.0.0.1:1/api/current nodewright.node=${NODE_ID} nodewright.key=k.1`,
    },
  });
  t.is(state.node, NODE_ID);
  t.is(state.bmc.override.target, 'None');
  t.deepEqual(ledger, ['boot cd agent: done, firmware']);
  t.deepEqual(new Set(asked.all), new Set([`/microkernel.iso from ${machine.facts.bmcAddress}`]));
});

test('a CD that is no microkernel, is empty or cannot be read boots nothing', async (t) => {
  const { machine, state } = twinMachine();
  const { signal } = new AbortController();
  t.is(await imageOnMedia(machine, signal), undefined);
  for (const image of [isoWithArea(), isoWithArea(''), Buffer.alloc(100)]) {
    state.bmc.media = { Cd: `${(await served(t, image)).url}/installer.iso` };
    t.is(await imageOnMedia(machine, signal), undefined);
  }
  state.bmc.media = { Cd: 'http://127.0.0.1:1/gone.iso' };
  t.is(await imageOnMedia(machine, signal), undefined);
});
