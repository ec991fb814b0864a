/** The operators: they obey the annotations that ask them to park a server, as their documentation and sources say. */
import { type JsonObject, objectIn } from '../../../engine/vocabulary/json.ts';
import type { FakeKubernetes } from './fake-kubernetes.ts';

const DETACHED = 'baremetalhost.metal3.io/detached';
const OPERATION = 'metal.ironcore.dev/operation';
const PARKED = 'metal.ironcore.dev/parked';

const metadataOf = (object: JsonObject): { name: string; annotations: JsonObject } => {
  const { name, annotations } = objectIn(object.metadata);
  return { name: String(name), annotations: objectIn(annotations) };
};

/** Metal3 detaches a host in a steady state, and changes only its operational status. */
export const operateMetal3 = (fake: FakeKubernetes): void =>
  fake.written.each((object) => {
    const { name, annotations } = metadataOf(object);
    const { operationalStatus, provisioning } = objectIn(object.status);
    const isSteady = ['provisioned', 'externally provisioned', 'available'].includes(
      String(objectIn(provisioning).state),
    );
    if (DETACHED in annotations && isSteady && operationalStatus !== 'detached')
      fake.change(name, { status: { operationalStatus: 'detached' } });
    if (!(DETACHED in annotations) && operationalStatus === 'detached')
      fake.change(name, { status: { operationalStatus: 'OK' } });
  });

/** The metal-operator powers a server off and parks it, and removes the request when it has done so. */
export const operateIroncore = (fake: FakeKubernetes): void =>
  fake.written.each((object) => {
    const { name, annotations } = metadataOf(object);
    const state = String(objectIn(object.status).state);
    if (annotations[OPERATION] === 'park' && ['Available', 'Reserved'].includes(state))
      fake.change(name, {
        metadata: { annotations: { [PARKED]: 'true', [OPERATION]: null } },
        status: { state: 'Parked', powerState: 'Off' },
      });
    if (annotations[OPERATION] === 'unpark')
      fake.change(name, {
        metadata: { annotations: { [PARKED]: null, [OPERATION]: null } },
        status: { state: objectIn(object.spec).serverClaimRef === undefined ? 'Available' : 'Reserved' },
      });
  });

/** A BareMetalHost that has been inspected. */
export const hostOf = (
  name: string,
  mac: string,
  more: { state?: string; serial?: string; spec?: object; annotations?: object } = {},
): JsonObject => ({
  metadata: { name, annotations: more.annotations ?? {} },
  spec: { online: true, bootMACAddress: mac, ...more.spec },
  status: {
    operationalStatus: 'OK',
    poweredOn: true,
    provisioning: { state: more.state ?? 'available' },
    hardware: { nics: [{ mac: mac.toUpperCase() }], systemVendor: { serialNumber: more.serial ?? `SN-${name}` } },
  },
});

/** A Server that has been discovered. */
export const ironcoreServerOf = (
  name: string,
  mac: string,
  more: { spec?: object; annotations?: object } = {},
): JsonObject => ({
  metadata: { name, annotations: more.annotations ?? {} },
  spec: { systemUUID: `uuid-${name}`, ...more.spec },
  status: {
    state: more.spec === undefined ? 'Available' : 'Reserved',
    powerState: 'On',
    serialNumber: `SN-${name}`,
    networkInterfaces: [{ name: 'eth0', macAddress: mac }],
  },
});
