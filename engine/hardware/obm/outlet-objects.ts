/**
 * How the makers of power distribution units (PDUs) switch an outlet by SNMP: objects of their MIBs, and the values of each.
 *
 * An object is the number of its column; the index of the outlet in the table follows it.
 */
import type { PduModel } from '../../define/node.ts';

/** A value of an object. */
interface Setting {
  column: string;
  value: number;
}

export interface OutletObjects {
  on: Setting;
  off: Setting;
  /** Other values than these are states between the two. */
  state: { column: string; on: number; off: number };
  /** Before the number of an outlet, where the index of the table has several parts, such as `1.` for the first PDU of a chain. */
  prefix: string;
}

/** For a column to which both commands are written. */
const switching = (column: string, on: number, off: number): Pick<OutletObjects, 'on' | 'off'> => ({
  on: { column, value: on },
  off: { column, value: off },
});

export const outletObjects: Record<PduModel, OutletObjects> = {
  // PowerNet-MIB: rPDUOutletControlOutletCommand, rPDUOutletStatusOutletState.
  apc: {
    ...switching('1.3.6.1.4.1.318.1.1.12.3.3.1.1.4', 1, 2),
    state: { column: '1.3.6.1.4.1.318.1.1.12.3.5.1.1.4', on: 1, off: 2 },
    prefix: '',
  },
  // PowerNet-MIB: rPDU2OutletSwitchedControlCommand, rPDU2OutletSwitchedStatusState.
  'apc-rpdu2': {
    ...switching('1.3.6.1.4.1.318.1.1.26.9.2.4.1.5', 1, 2),
    state: { column: '1.3.6.1.4.1.318.1.1.26.9.2.3.1.5', on: 2, off: 1 },
    prefix: '',
  },
  // PowerNet-MIB: sPDUOutletCtl, of the first switched PDUs.
  'apc-masterswitch': {
    ...switching('1.3.6.1.4.1.318.1.1.4.4.2.1.3', 1, 2),
    state: { column: '1.3.6.1.4.1.318.1.1.4.4.2.1.3', on: 1, off: 2 },
    prefix: '',
  },
  // CPS-MIB: ePDUOutletControlOutletCommand, ePDUOutletStatusOutletState.
  cyberpower: {
    ...switching('1.3.6.1.4.1.3808.1.1.3.3.3.1.1.4', 1, 2),
    state: { column: '1.3.6.1.4.1.3808.1.1.3.3.5.1.1.4', on: 1, off: 2 },
    prefix: '',
  },
  // EATON-EPDU-MIB: outletControlOnCmd and outletControlOffCmd take a delay in seconds; outletControlStatus.
  eaton: {
    on: { column: '1.3.6.1.4.1.534.6.6.7.6.6.1.4', value: 0 },
    off: { column: '1.3.6.1.4.1.534.6.6.7.6.6.1.3', value: 0 },
    state: { column: '1.3.6.1.4.1.534.6.6.7.6.6.1.2', on: 1, off: 0 },
    prefix: '0.',
  },
  // PDU2-MIB: switchingOperation, outletSwitchingState.
  raritan: {
    ...switching('1.3.6.1.4.1.13742.6.4.1.2.1.2', 1, 0),
    state: { column: '1.3.6.1.4.1.13742.6.4.1.2.1.3', on: 7, off: 8 },
    prefix: '1.',
  },
  // Sentry3-MIB: outletControlAction, outletStatus, by tower, infeed and outlet.
  servertech: {
    ...switching('1.3.6.1.4.1.1718.3.2.3.1.11', 1, 2),
    state: { column: '1.3.6.1.4.1.1718.3.2.3.1.5', on: 1, off: 0 },
    prefix: '1.1.',
  },
  // Sentry4-MIB: st4OutletControlAction, st4OutletState, by unit, branch or bank, and outlet.
  'servertech-pro': {
    ...switching('1.3.6.1.4.1.1718.4.1.8.5.1.2', 1, 2),
    state: { column: '1.3.6.1.4.1.1718.4.1.8.3.1.1', on: 1, off: 2 },
    prefix: '1.1.',
  },
};
