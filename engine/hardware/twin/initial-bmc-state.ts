/** The state of the BMC of a new machine. */
import type { MachineFacts } from './machine/machine-facts.ts';
import type { BmcState } from './machine/machine-state.ts';

export function initialBmcState({ model }: MachineFacts, password: string): BmcState {
  return {
    accounts: [{ id: '1', user: model.bmc.user, password, role: 'Administrator', isEnabled: true }],
    light: 'Off',
    override: { target: 'None', enabled: 'Disabled', mode: model.tree.bootMode },
    bios: {},
    pendingBios: {},
    versions: {
      BIOS: model.bios.version,
      BMC: model.bmc.firmware,
      ...Object.fromEntries(model.firmware.map(({ id, version }) => [id, version])),
    },
    tasks: [],
    media: {},
    log: [],
    lastEntry: 0,
    lastId: 1,
    subscriptions: [],
  };
}
