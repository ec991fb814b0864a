/** The Redfish service of a PDU, with an outlet for each machine that it feeds (DSP2046: PowerDistribution, Outlet). It has no sessions. */
import type { JsonObject } from '../../../vocabulary/json.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { bmcAnswerOf, bmcBodyOf } from './bmc.ts';
import type { BmcReply } from './bmc-call.ts';
import { BmcRejection } from './bmc-rejection.ts';
import type { BmcAnswer, BmcRequest } from './bmc-request.ts';
import { collectionOf, enabledStatus, linkTo, noContent, ROOT_PATH, resourceOf } from './documents.ts';
import { BodyFields } from './fields.ts';
import { accessDenied } from './logins.ts';

/** The account of all of them. */
export const PDU_ACCOUNT = { user: 'admin', password: 'private' } as const;

const EQUIPMENT = `${ROOT_PATH}/PowerEquipment`;
const PDUS = `${EQUIPMENT}/RackPDUs`;
const PDU = `${PDUS}/1`;
const OUTLETS = `${PDU}/Outlets`;
const ACTION = 'Outlet.PowerControl';
const powerValues = ['On', 'Off', 'PowerCycle'] as const;

/** A machine, as its outlet knows it. */
export type FedMachine = Pick<Machine, 'name' | 'switchOutlet'> & { state: Pick<Machine['state'], 'outlet'> };

export class PduRedfish {
  readonly #name: string;
  readonly #machines: ReadonlyMap<number, FedMachine>;
  readonly #isSilent: () => boolean;

  /** @param machines those that it feeds, by the numbers of their outlets @param isSilent whether it answers nothing now */
  constructor(name: string, machines: ReadonlyMap<number, FedMachine>, isSilent: () => boolean) {
    this.#name = name;
    this.#machines = machines;
    this.#isSilent = isSilent;
  }

  /** @throws the error of a state that could not be saved */
  async answer(request: BmcRequest): Promise<BmcAnswer | 'silent'> {
    if (this.#isSilent()) return 'silent';
    const { method } = request;
    try {
      return bmcAnswerOf(method, await this.#reply(request));
    } catch (error) {
      if (!(error instanceof BmcRejection)) throw error;
      return bmcAnswerOf(method, { status: error.status, body: error.body, headers: error.headers });
    }
  }

  async #reply(request: BmcRequest): Promise<BmcReply> {
    const { method, path: said, headers } = request;
    const path = said.replace(/\/?(\?.*)?$/, '');
    if (path !== ROOT_PATH && headers.authorization !== AUTHORIZATION) throw accessDenied();
    const [, target, number] = /^(.*\/Outlets\/(\d+))(?:\/Actions\/Outlet\.PowerControl)?$/.exec(path) ?? [];
    const machine = target?.startsWith(OUTLETS) === true ? this.#machines.get(Number(number)) : undefined;
    if (machine !== undefined && path !== target) return this.#control(request, machine);
    const document = machine === undefined ? this.#documents(path)[path] : outletDocument(path, machine);
    if (document === undefined) throw new BmcRejection(404, 'ResourceMissingAtURI', [path.slice(0, 200)]);
    if (method !== 'GET' && method !== 'HEAD')
      throw new BmcRejection(405, 'OperationNotAllowed', [], { headers: { Allow: 'GET, HEAD' } });
    return { status: 200, body: document };
  }

  #documents(path: string): Record<string, JsonObject> {
    const at = { path };
    return {
      [ROOT_PATH]: resourceOf(at, 'ServiceRoot', 'Root service', {
        RedfishVersion: '1.18.0',
        PowerEquipment: linkTo(EQUIPMENT),
      }),
      [EQUIPMENT]: resourceOf(at, 'PowerEquipment', 'Power equipment', { RackPDUs: linkTo(PDUS) }),
      [PDUS]: collectionOf(at, 'PowerDistribution', ['1']),
      [PDU]: resourceOf(at, 'PowerDistribution', this.#name, {
        EquipmentType: 'RackPDU',
        Manufacturer: 'APC',
        Model: 'AP7921B',
        Status: enabledStatus,
        Outlets: linkTo(OUTLETS),
      }),
      [OUTLETS]: collectionOf(at, 'Outlet', [...this.#machines.keys()].map(String)),
    };
  }

  async #control(request: BmcRequest, machine: FedMachine): Promise<BmcReply> {
    if (request.method !== 'POST')
      throw new BmcRejection(405, 'OperationNotAllowed', [], { headers: { Allow: 'POST' } });
    const value = new BodyFields(bmcBodyOf(request), ['PowerState'], { isAction: true }).oneOf(
      'PowerState',
      powerValues,
    );
    if (value !== 'On') await machine.switchOutlet('off', this.#name);
    if (value !== 'Off') await machine.switchOutlet('on', this.#name);
    return noContent;
  }
}

const AUTHORIZATION = `Basic ${Buffer.from(`${PDU_ACCOUNT.user}:${PDU_ACCOUNT.password}`).toString('base64')}`;

const outletDocument = (path: string, { name, state }: FedMachine): JsonObject =>
  resourceOf({ path }, 'Outlet', `Outlet of ${name}`, {
    UserLabel: name,
    Status: enabledStatus,
    PowerEnabled: true,
    PowerState: state.outlet === undefined ? 'On' : 'Off',
    Actions: {
      [`#${ACTION}`]: {
        target: `${path}/Actions/${ACTION}`,
        'PowerState@Redfish.AllowableValues': [...powerValues],
      },
    },
  });
