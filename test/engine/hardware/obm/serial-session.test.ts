/** Serial over LAN by the real ipmitool, on OpenIPMI's simulator. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';
import { openSerial } from '../../../../engine/hardware/obm/serial-session.ts';
import { needing } from '../../../support/ava/needs.ts';
import { noIpmiSim, startIpmiSim } from '../../../support/bmcs/ipmi-sim.ts';

const test = needing(noIpmiSim);

async function scene(t: ExecutionContext) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connection = once(server, 'connection');
  const sim = await startIpmiSim(t, undefined, (server.address() as AddressInfo).port);
  const [machine] = (await connection) as [Socket];
  t.teardown(() => {
    machine.destroy();
    server.close();
  });
  let read = '';
  machine.on('data', (bytes) => {
    read += bytes.toString('latin1');
  });
  const open = () => {
    const closing = new AbortController();
    let written = '';
    let heard = () => {};
    const data = (bytes: Buffer) => {
      written += bytes.toString('latin1');
      heard();
    };
    let session: ReturnType<typeof openSerial> | undefined;
    const connected = new Promise<void>((resolve) => {
      session = openSerial({ cipherSuite: 3, ...sim.config }, { connected: resolve, data }, closing.signal);
    });
    const until = async (text: string) => {
      while (!written.includes(text))
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
    };
    return { connected, until, session: session as NonNullable<typeof session>, close: () => closing.abort() };
  };
  return { sim, machine, open, hasRead: () => read };
}

test.serial(
  'output and input of the machine arrive, also a tilde, and a second session learns that another one has the port',
  async (t) => {
    const { machine, open, hasRead } = await scene(t);
    const first = open();
    await first.connected;
    machine.write('\u001b[1mlogin: \u001b[0m');
    await first.until('\u001b[1mlogin: \u001b[0m');
    t.true(first.session.write('root\r~.\r'));
    while (!hasRead().includes('~.\r')) await once(machine, 'data');
    t.is(hasRead(), 'root\r~.\r');
    const second = await open().session.end;
    t.is(second.isLeft, false);
    t.regex(second.error?.message ?? '', /another session owns the serial console of the BMC/);
    first.close();
    t.deepEqual(await first.session.end, { error: undefined, isLeft: false });
    const third = open();
    await third.connected;
    third.close();
    t.deepEqual(await third.session.end, { error: undefined, isLeft: false });
  },
);

test.serial('a wrong password is said as of any command', async (t) => {
  const { sim } = await scene(t);
  const bmc = { cipherSuite: 3, ...sim.config, password: 'wrong' };
  const { error } = await openSerial(bmc, { connected: () => {}, data: () => {} }, new AbortController().signal).end;
  t.is(error?.code, 'OBM_REJECTED');
});
