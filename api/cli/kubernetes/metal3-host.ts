/**
 * A BareMetalHost of Metal3. Its annotation `detached` makes the operator remove the host from Ironic and leave its power alone; without it, the
 * operator manages the host again, with the same state.
 */
import { objectIn } from '../../../engine/vocabulary/json.ts';
import { annotationsOf, macsIn, nestedText, recordsIn, type ServerOperator } from './parked-server.ts';

const DETACHED = 'baremetalhost.metal3.io/detached';
const PAUSED = 'baremetalhost.metal3.io/paused';

/** In other states the operator waits with a detachment until its own work is over. */
const DETACHABLE = ['provisioned', 'externally provisioned', 'ready', 'available'];
const IN_USE = ['provisioned', 'externally provisioned'];

export const metal3: ServerOperator = {
  name: 'metal3',
  group: 'metal3.io',
  resource: 'baremetalhosts',
  isNamespaced: true,
  // A deletion of the host waits until it is given back: the graph may be in the middle of an update of firmware.
  park: { [DETACHED]: JSON.stringify({ deleteAction: 'delay' }) },
  unpark: { [DETACHED]: null },
  read(object) {
    const annotations = annotationsOf(object);
    const { spec, status } = object;
    const state = nestedText(status, 'provisioning', 'state');
    const operational = nestedText(status, 'operationalStatus');
    const hasRequest = DETACHED in annotations;
    const isDetached = operational === 'detached';
    const hardware = objectIn(objectIn(status).hardware);
    return {
      macs: macsIn([nestedText(spec, 'bootMACAddress'), ...recordsIn(hardware.nics).map(({ mac }) => mac)]),
      serial: nestedText(hardware, 'systemVendor', 'serialNumber') || undefined,
      isParked: hasRequest && isDetached,
      usedBy: userOf(spec, state),
      obstacle: obstacleOf({ isPaused: PAUSED in annotations, isReturning: isDetached && !hasRequest, state }),
      status: `it is ${state || 'new'}, its operational status ${operational || 'empty'}`,
    };
  },
};

function userOf(spec: unknown, state: string): string | undefined {
  const name = nestedText(spec, 'consumerRef', 'name');
  if (name !== '') return `its consumer is ${nestedText(spec, 'consumerRef', 'kind')} ${name}`;
  return IN_USE.includes(state) ? `it is ${state}` : undefined;
}

function obstacleOf({ isPaused, isReturning, state }: { isPaused: boolean; isReturning: boolean; state: string }) {
  if (isPaused) return `it has the annotation ${PAUSED}, so the operator would not detach it`;
  if (isReturning) return 'the operator is attaching it again';
  return DETACHABLE.includes(state)
    ? undefined
    : `it is ${state || 'new'}; it is detached when ${DETACHABLE.join(', ')}`;
}
