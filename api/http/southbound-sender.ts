/** Identifies the sender of a southbound request, and removes its key from everything that is stored. */
import type { Context } from 'koa';
import type { CatalogSender, SouthboundSender } from '../../engine/api-port/index.ts';
import { withoutNonces } from '../../engine/vocabulary/callback.ts';
import { mapTextsAndKeys } from '../../engine/vocabulary/texts.ts';
import type { Call } from './route.ts';

/** The header takes precedence: proxies may log the query. */
export function keyIn(ctx: Context): string {
  const { key = '' } = ctx.query;
  return ctx.get('x-nodewright-key') || String(key);
}

/**
 * Returns how the sender that acts for a node was identified; northbound it is a user.
 * @throws NodewrightError FORBIDDEN when its key or its address belongs to another node
 */
export const admittedAs = async (
  { engine, sender }: Pick<Call, 'engine' | 'sender'>,
  node: string,
): Promise<CatalogSender> => (sender === undefined ? 'operator' : engine.southbound.admit(sender, node));

/** The key on a kernel command line, which many tools print. */
const ON_COMMAND_LINE = /(nodewright\.key=)[\w.-]+/g;

/** Removes the sender's own key and callback nonces from its input. */
export function withoutKey<T>(value: T, sender: SouthboundSender | undefined): T {
  if (sender === undefined) return value;
  const key = sender.key?.value;
  const hide = (text: string): string => {
    const rest = key === undefined ? text : text.replaceAll(key, 'REDACTED');
    return withoutNonces(rest.replace(ON_COMMAND_LINE, '$1REDACTED'));
  };
  return mapTextsAndKeys(value, hide) as T;
}
