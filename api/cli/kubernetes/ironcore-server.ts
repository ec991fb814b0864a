/**
 * A Server of the metal-operator of IronCore. The annotation `operation` asks the operator to park it, which powers it off, or to unpark it. The
 * operator removes the annotation when it has done so.
 */
import { objectIn } from '../../../engine/vocabulary/json.ts';
import { annotationsOf, macsIn, nestedText, recordsIn, type ServerOperator } from './parked-server.ts';

const OPERATION = 'metal.ironcore.dev/operation';

const PARKABLE = ['Available', 'Reserved'];

export const metalOperator: ServerOperator = {
  name: 'metal-operator',
  group: 'metal.ironcore.dev',
  resource: 'servers',
  isNamespaced: false,
  park: { [OPERATION]: 'park' },
  unpark: { [OPERATION]: 'unpark' },
  read(object) {
    const operation = annotationsOf(object)[OPERATION];
    const { spec, status } = object;
    const state = nestedText(status, 'state');
    const claim = nestedText(spec, 'serverClaimRef', 'name');
    return {
      macs: macsIn(recordsIn(objectIn(status).networkInterfaces).map(({ macAddress }) => macAddress)),
      serial: nestedText(status, 'serialNumber') || undefined,
      // With a request in progress the state is about to change.
      isParked: state === 'Parked' && operation === undefined,
      usedBy:
        claim !== ''
          ? `the claim ${nestedText(spec, 'serverClaimRef', 'namespace')}/${claim} has it`
          : state === 'Reserved'
            ? 'it is Reserved'
            : undefined,
      obstacle: obstacleOf(state, operation),
      status: `it is ${state || 'new'}${operation === undefined ? '' : `, with the operation ${operation}`}`,
    };
  },
};

function obstacleOf(state: string, operation: string | undefined): string | undefined {
  if (operation !== undefined) return `the operation ${operation} is in progress`;
  if (state === 'Parked' || PARKABLE.includes(state)) return undefined;
  return `it is ${state || 'new'}; it is parked when ${PARKABLE.join(' or ')}`;
}
