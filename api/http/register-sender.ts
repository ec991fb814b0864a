/** Registers the machine that asks for its profile. */
import type { Engine, RegisteredNode, SentIdentity, SouthboundSender } from '../../engine/api-port/index.ts';

/** @throws NodewrightError FORBIDDEN, TOO_MANY_REQUESTS */
export async function registerSender(
  engine: Engine,
  sent: SentIdentity,
  sender: SouthboundSender | undefined,
): Promise<RegisteredNode> {
  if (sender !== undefined) await engine.southbound.admitRegistration(sender, () => engine.discovery.identify(sent));
  return engine.discovery.register(sent);
}
