/** Parts that the documents of a BMC share. */
import type { JsonObject } from '../../../vocabulary/json.ts';
import type { BmcCall, BmcReply } from './bmc-call.ts';
import { typeOf } from './schema-versions.ts';

export const ROOT_PATH = '/redfish/v1';

export const linkTo = (path: string) => ({ '@odata.id': path });
export const linksTo = (base: string, ids: readonly string[]) => ids.map((id) => linkTo(`${base}/${id}`));

/** Done, without an answer. */
export const noContent: BmcReply = { status: 204 };

export const systemPath = ({ model }: Pick<BmcCall, 'model'>): string => `${ROOT_PATH}/Systems/${model.ids.system}`;
export const chassisPath = ({ model }: Pick<BmcCall, 'model'>): string => `${ROOT_PATH}/Chassis/${model.ids.chassis}`;
export const managerPath = ({ model }: Pick<BmcCall, 'model'>): string => `${ROOT_PATH}/Managers/${model.ids.manager}`;

/** A resource at the path of the request. @param type such as `Drive` */
export const resourceOf = (
  { path }: Pick<BmcCall, 'path'>,
  type: string,
  name: string,
  more: JsonObject,
): JsonObject => ({
  '@odata.id': path,
  '@odata.type': typeOf(type),
  Id: path.split('/').at(-1),
  Name: name,
  ...more,
});

/** @param type of the members, such as `Drive` */
export function collectionOf({ path }: Pick<BmcCall, 'path'>, type: string, ids: readonly string[]): JsonObject {
  return {
    '@odata.id': path,
    '@odata.type': `#${type}Collection.${type}Collection`,
    Name: `${type} collection`,
    Members: linksTo(path, ids),
    'Members@odata.count': ids.length,
  };
}

export const enabledStatus = { State: 'Enabled', Health: 'OK' } as const;

/** As DSP0266 writes times. */
export const timeOf = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** The time as its clock, which may be wrong, has it. */
export const bmcTime = ({ bmc }: Pick<BmcCall, 'bmc'>, at: number): string => timeOf(at + (bmc.clockMs ?? 0));

/** The name of the account, as the ledger has it. */
export const senderOf = ({ account }: BmcCall): string => account?.user ?? 'nobody';
