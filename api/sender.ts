/** What handlers ask of the sender of a southbound request, and how its key is kept out of all that is stored. */
import type { Context } from 'koa';
import type { CatalogSender, Sender } from '../engine/api-port/index.ts';
import { withoutNonces } from '../engine/define/callback.ts';
import { mapTexts } from '../engine/define/texts.ts';
import type { Call } from './route.ts';

/** The header wins: a query may have been written down by a proxy. */
export function keyIn(ctx: Context): string {
  const { key = '' } = ctx.query;
  return ctx.get('x-nodewright-key') || String(key);
}

/**
 * How the sender is known that speaks for a node; northbound it is a user.
 * @throws NodewrightError FORBIDDEN when its key, or its address, is another's
 */
export const admitted = async (
  { engine, sender }: Pick<Call, 'engine' | 'sender'>,
  node: string,
): Promise<CatalogSender> => (sender === undefined ? 'operator' : engine.southbound.admit(sender, node));

/** As the kernel's command line has it, which many tools print. */
const ON_COMMAND_LINE = /(nodewright\.key=)[\w.-]+/g;

/** What a southbound sender printed or posted, without the key that it sent along, and without nonces of callbacks. */
export function withoutKey<T>(value: T, sender: Sender | undefined): T {
  if (sender === undefined) return value;
  const key = sender.key?.value;
  const hide = (text: string): string => {
    const rest = key === undefined ? text : text.replaceAll(key, 'REDACTED');
    return withoutNonces(rest.replace(ON_COMMAND_LINE, '$1REDACTED'));
  };
  return mapTexts(value, hide) as T;
}
