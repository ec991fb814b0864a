/** A Redfish service as acts speak to it: through the gate of its BMC, in a session that others share. */
import type { Redfish } from '../define/obm.ts';
import type { RedfishLimits } from './redfish.ts';
import type { Asked, RedfishTarget } from './session.ts';

export class RedfishAt implements Redfish {
  readonly #target: RedfishTarget;
  readonly #limits: RedfishLimits;

  constructor(target: RedfishTarget, limits: RedfishLimits) {
    this.#target = target;
    this.#limits = limits;
  }

  get origin(): string {
    return this.#target.origin;
  }

  ask(asked: Asked, signal: AbortSignal): Promise<Record<string, unknown>> {
    const { gates, sessions } = this.#limits;
    const run = () => sessions.use(this.#target, (session) => session.ask(asked, signal));
    return gates.run(`the BMC at ${this.origin}`, signal, async () => {
      const { body } = await run();
      return (body ?? {}) as Record<string, unknown>;
    });
  }
}
