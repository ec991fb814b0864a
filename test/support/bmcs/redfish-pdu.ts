/** A PDU of a twin with three outlets, on a free port of this machine. The third one has power. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerByHttp } from '../../../engine/hardware/twin/bmc/http-answer.ts';
import { type FedMachine, PDU_ACCOUNT, PduRedfish } from '../../../engine/hardware/twin/bmc/pdu-redfish.ts';
import type { Scope } from '../ava/scope.ts';

export async function startRedfishPdu(t: Scope) {
  const pdu = {
    /** Every accepted command, such as `On 1`. */
    ledger: [] as string[],
    /** `mute`: runs commands without an answer. `stuck`: answers, and switches nothing. `silent`: as a fault of a twin has it. */
    fault: 'none' as 'none' | 'mute' | 'stuck' | 'silent',
    /** Fields of its outlets. */
    fields: {} as Record<string, unknown>,
    config: { outlets: [] as object[], protocol: 'http', ...PDU_ACCOUNT, offSec: 0 },
  };
  const outletOf = (number: number, isOn: boolean): FedMachine => {
    const outlet: FedMachine = {
      name: `m${number}`,
      state: isOn ? {} : { outlet: { wasOn: false } },
      async switchOutlet(to) {
        if (pdu.fault === 'stuck') return;
        outlet.state = to === 'on' ? {} : { outlet: { wasOn: true } };
      },
    };
    return outlet;
  };
  const service = new PduRedfish(
    'p01a',
    new Map([1, 2, 3].map((number) => [number, outletOf(number, number === 3)])),
    () => pdu.fault === 'silent',
  );
  const bmc: Pick<PduRedfish, 'answer'> = {
    async answer(request) {
      const answer = await service.answer(request);
      if (answer === 'silent') return answer;
      if (answer.status === 204) {
        const [, number] = /Outlets\/(\d+)/.exec(request.path) ?? [];
        pdu.ledger.push(`${JSON.parse(request.body.toString()).PowerState} ${number}`);
        if (pdu.fault === 'mute') await new Promise(() => {});
      }
      if (!/Outlets\/\d+$/.test(request.path) || answer.status !== 200) return answer;
      return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), ...pdu.fields }) };
    },
  };
  const server = createServer((request, response) => void answerByHttp({ bmc }, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  pdu.config.outlets = [{ host: '127.0.0.1', port, outlet: 1 }];
  return pdu;
}
