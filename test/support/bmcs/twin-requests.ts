/** Requests to the BMC of a twin's machine, and its answers as objects. */
import type { BmcAnswer, BmcRequest } from '../../../engine/hardware/twin/bmc/bmc-request.ts';
import { TWIN_PASSWORD, type TwinMachine } from './twin-bmc.ts';

export const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
export const root = basic('root', TWIN_PASSWORD);

type BmcSaid = Omit<BmcAnswer, 'body'> & { body: Record<string, unknown>; text: string };
interface BmcQuestion extends Partial<Pick<BmcRequest, 'headers'>> {
  body?: unknown;
}

/** @returns `silent`, or the answer with its JSON */
export async function ask(
  { bmc }: TwinMachine,
  method: string,
  path: string,
  asking: BmcQuestion = {},
): Promise<BmcSaid> {
  const { body, headers = root } = asking;
  const raw = body instanceof Buffer ? body : Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const answer = await bmc.answer({ method, path, headers, body: raw });
  if (answer === 'silent') return { status: 0, headers: {}, body: {}, text: 'silent' };
  return { ...answer, text: answer.body, body: answer.body === '' ? {} : JSON.parse(answer.body) };
}

export const messageOf = ({ body }: BmcSaid) =>
  (body.error as { '@Message.ExtendedInfo': { MessageId: string; Message: string }[] })['@Message.ExtendedInfo'][0];
