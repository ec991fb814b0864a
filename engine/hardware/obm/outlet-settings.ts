/** The keys that the configs of all obms of outlets have. */
import { type Static, type TSchema, Type } from 'typebox';
import { isNoAddress } from '../../define/address.ts';
import { ObmError } from '../../define/obm.ts';
import { sentenceOf, type Violation } from '../../vocabulary/errors.ts';
import { SECOND_MS } from '../../vocabulary/units.ts';

const Options = Type.Object({
  /** Seconds without power before the outlets are switched on. */
  offSec: Type.Optional(Type.Integer({ minimum: 0, maximum: 300 })),
  /** The machine always boots from the network first: boot orders are accepted, and nothing is sent. */
  bootsFromNetwork: Type.Optional(Type.Boolean()),
});
export const outletOptions = Options.properties;
/** The values that may be shown. */
export const plainOutletOptions = { offSec: Type.Integer(), bootsFromNetwork: Type.Boolean() };

type GivenOptions = { [K in keyof Static<typeof Options>]: Static<typeof Options>[K] | undefined };

export interface OutletOptions {
  /** Absent: as long as the PDU leaves an outlet off in a power cycle, and 10 s at least. */
  offMs: number | undefined;
  bootsFromNetwork: boolean;
}

export const outletOptionsOf = ({ offSec, bootsFromNetwork = false }: GivenOptions): OutletOptions => ({
  offMs: offSec === undefined ? undefined : offSec * SECOND_MS,
  bootsFromNetwork,
});

/** No key of an outlet is secret. */
export const outletsOf = <O extends TSchema>(outlet: O) => Type.Array(outlet, { minItems: 1, maxItems: 8 });

interface OutletPlace {
  host: string;
  port?: number;
  /** The id of the PDU, if its service has several. */
  pdu?: string;
  outlet: string | number;
}

export function outletViolations(outlets: readonly OutletPlace[]): Violation[] {
  const places = outlets.map(({ host, port, pdu, outlet }) => JSON.stringify([host, port, pdu, String(outlet)]));
  const twice = places.findIndex((place, at) => places.indexOf(place) < at);
  return [
    ...outlets.flatMap(({ host }, at) =>
      isNoAddress(host)
        ? [{ path: `outlets.${at}.host`, message: `found ${host}; expected a name or an address` }]
        : [],
    ),
    ...(twice < 0 ? [] : [{ path: `outlets.${twice}`, message: 'is in the list twice' }]),
  ];
}

/** @throws ObmError OBM_INVALID if there are violations */
export function needOutlets(service: string, violations: readonly Violation[]): void {
  if (violations.length === 0) return;
  const problem = violations.map(sentenceOf).join('; ');
  throw new ObmError('OBM_INVALID', `the node's ${service} cannot be used: ${problem}; put it again`, { retry: false });
}
