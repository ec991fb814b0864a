/** The config of a `redfish-pdu-obm-service`: the outlets that feed a node, and the account at their PDUs, which is the same for all. */
import { type Static, Type } from 'typebox';
import { validator } from '../../platform/validation/validator.ts';
import type { Violation } from '../../vocabulary/errors.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import {
  needOutlets,
  type OutletOptions,
  outletOptions,
  outletOptionsOf,
  outletsOf,
  outletViolations,
} from './outlet-settings.ts';
import { originIn } from './redfish-origin.ts';
import type { RedfishTarget } from './session.ts';
import { host, httpAccess, port, settingText } from './setting-schemas.ts';

/** A segment of a path. */
const id = '[A-Za-z0-9_-][A-Za-z0-9._:-]{0,63}';

const outlet = Type.Unsafe<string | number>({
  type: ['integer', 'string'],
  minimum: 0,
  maximum: 1_000,
  pattern: `^${id}$`,
});

export const RedfishOutlets = outletsOf(
  Type.Object(
    { host, port: Type.Optional(port), pdu: Type.Optional(Type.String({ pattern: `^${id}$` })), outlet },
    { additionalProperties: false },
  ),
);

export const RedfishPdu = Type.Object({
  outlets: RedfishOutlets,
  user: settingText,
  password: settingText,
  ...httpAccess,
  ...outletOptions,
});

/** One outlet, by the ids of DMTF's schemas. */
export interface RedfishOutletPlace {
  name: string;
  target: RedfishTarget;
  /** Absent: the service must have exactly one PDU. */
  pdu: string | undefined;
  outlet: string;
}

export interface RedfishPduSettings extends OutletOptions {
  outlets: RedfishOutletPlace[];
}

/** Returns what is wrong with the config; empty: the outlets can be asked. */
export function redfishPduViolations(config: unknown): Violation[] {
  if (!validator.accepts(RedfishPdu, config)) return validator.violations(RedfishPdu, config);
  const { outlets, protocol } = config;
  const wrong = outlets.flatMap((one, at) =>
    originIn({ ...one, protocol }) === undefined ? [{ path: `outlets.${at}.host`, message: 'is no valid host' }] : [],
  );
  return [...outletViolations(outlets), ...wrong];
}

/** @throws ObmError OBM_INVALID */
export function redfishPduOf(config: JsonObject): RedfishPduSettings {
  needOutlets('redfish-pdu-obm-service', redfishPduViolations(config));
  const { outlets, user, password, protocol, verifySSL = true, ca, ...options } = config as Static<typeof RedfishPdu>;
  return {
    ...outletOptionsOf(options),
    outlets: outlets.map(({ pdu, outlet: number, ...address }) => ({
      name: `outlet ${number} of ${address.host}`,
      target: { origin: originIn({ ...address, protocol }) ?? '', user, password, verifySSL, ca },
      pdu,
      outlet: String(number),
    })),
  };
}
