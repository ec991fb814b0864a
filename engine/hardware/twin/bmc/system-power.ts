/** The action that resets a system: on, off, and again. */
import type { PowerChange } from '../machine/twin-machine.ts';
import type { BmcCall, BmcReply } from './bmc-call.ts';
import { noContent, senderOf } from './documents.ts';
import { BodyFields } from './fields.ts';

const changes: Readonly<Record<string, PowerChange>> = {
  On: 'on',
  ForceOn: 'on',
  ForceOff: 'off',
  GracefulShutdown: 'soft',
  GracefulRestart: 'restart',
  ForceRestart: 'restart',
  PowerCycle: 'cycle',
};

/** A fault may ignore it; the answer is the same. */
export async function resetSystem(call: BmcCall): Promise<BmcReply> {
  const { machine, model, body } = call;
  const type = new BodyFields(body, ['ResetType'], { isAction: true }).oneOf('ResetType', model.resetTypes);
  const what = `reset ${type}`;
  const change = type === 'PushPowerButton' ? (machine.isOn ? 'soft' : 'on') : changes[type];
  if (change === undefined) await machine.save({ kind: 'power', what, outcome: 'done', by: senderOf(call) });
  else await machine.changePower(change, what, senderOf(call));
  return noContent;
}
