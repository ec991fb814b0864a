/**
 * The parts of a Redfish service that change a machine's firmware, BIOS and media (DSP0266, 12.6; DSP2046): an update
 * service with an inventory and tasks, BIOS attributes with settings for the next restart, and a virtual CD drive. Used
 * by `startRedfish` as its vendor. It records what it does.
 */
import { Hearing } from '../servers/hearing.ts';
import type { RedfishOptions } from './redfish.ts';
import { type Asked, found, link, rejection, type Said } from './redfish-protocol.ts';
import { typedResource } from './redfish-types.ts';

const UPDATES = '/redfish/v1/UpdateService';
const INVENTORY = `${UPDATES}/FirmwareInventory`;
const SIMPLE = `${UPDATES}/Actions/UpdateService.SimpleUpdate`;
const PUSH = `${UPDATES}/upload`;
const TASKS_PATH = '/redfish/v1/TaskService/Tasks';
const BIOS = '/redfish/v1/Systems/1/Bios';
const REGISTRY = '/redfish/v1/Registries';
const MEDIA = '/redfish/v1/Managers/1/VirtualMedia';

type Value = string | number | boolean;

export class Maintained {
  /** Such as `update BIOS http://10.1.1.1/bios.bin`, `bios BootMode`, `insert http://...`. */
  readonly done = new Hearing<string>();
  /** Version by component. */
  readonly versions: Record<string, string> = { BIOS: '1.0', BMC: '7.0', Cable: '3' };
  /** The version of the next image. */
  image = '2.0';
  /** Looks at a task until it ends. */
  looks = 2;
  fails = false;
  /** The BMC restarts at the end of an update: its tasks are gone. */
  forgets = false;
  readonly attributes: Record<string, Value> = { BootMode: 'Legacy', Cores: 8, Quiet: true, Serial: 'X1' };
  readonly pending: Record<string, Value> = {};
  media: string | null = null;
  /** The bytes of the latest pushed image. */
  pushed = '';
  readonly #tasks = new Map<string, { left: number; targets: string[] }>();

  readonly options = (): RedfishOptions => ({
    root: { UpdateService: link(UPDATES), Tasks: link('/redfish/v1/TaskService'), Registries: link(REGISTRY) },
    system: { Bios: link(BIOS), VirtualMedia: link(MEDIA) },
    vendor: this.answer,
  });

  /** The pending values take effect, as with a restart of the machine. */
  restart(): void {
    Object.assign(this.attributes, this.pending);
    for (const name of Object.keys(this.pending)) delete this.pending[name];
  }

  readonly answer = (asked: Asked): Said | undefined => {
    const { method, path, body } = asked;
    if (method === 'POST' && path === SIMPLE) return this.#update(String(body.ImageURI), body.Targets);
    if (method === 'POST' && path === PUSH) return this.#pushed(asked);
    if (path.startsWith(`${TASKS_PATH}/`)) return this.#task(path);
    if (method === 'PATCH' && path === `${BIOS}/Settings`) return this.#set(body.Attributes as Record<string, Value>);
    if (method === 'POST' && path.startsWith(`${MEDIA}/Cd/Actions/`)) return this.#medium(path, body);
    const resource = method === 'GET' ? this.#resources()[path] : undefined;
    return resource && found(typedResource(path, resource));
  };

  #resources(): Record<string, object> {
    const components = Object.entries(this.versions).map(([Id, Version]) => [
      `${INVENTORY}/${Id}`,
      { Id, Version, Updateable: Id !== 'Cable' },
    ]);
    return {
      [UPDATES]: {
        FirmwareInventory: link(INVENTORY),
        MultipartHttpPushUri: PUSH,
        MaxImageSizeBytes: 1_000_000,
        Actions: {
          '#UpdateService.SimpleUpdate': {
            target: SIMPLE,
            'TransferProtocol@Redfish.AllowableValues': ['HTTP', 'HTTPS'],
          },
        },
      },
      [INVENTORY]: { Members: Object.keys(this.versions).map((id) => link(`${INVENTORY}/${id}`)) },
      ...Object.fromEntries(components),
      '/redfish/v1/TaskService': { Tasks: link(TASKS_PATH) },
      [TASKS_PATH]: { Members: [...this.#tasks.keys()].map(link) },
      [BIOS]: {
        AttributeRegistry: 'OurBios.v1_0_0',
        Attributes: this.attributes,
        '@Redfish.Settings': { SettingsObject: link(`${BIOS}/Settings`), SupportedApplyTimes: ['OnReset'] },
      },
      [`${BIOS}/Settings`]: { Attributes: this.pending },
      [REGISTRY]: { Members: [link(`${REGISTRY}/OurBios`)] },
      [`${REGISTRY}/OurBios`]: {
        Registry: 'OurBios.v1_0_0',
        Languages: ['en'],
        Location: [{ Language: 'en', Uri: `${REGISTRY}/bios.json` }],
      },
      [`${REGISTRY}/bios.json`]: {
        Language: 'en',
        OwningEntity: 'Example',
        RegistryVersion: '1.0.0',
        RegistryEntries: {
          Attributes: [
            { AttributeName: 'BootMode', Type: 'Enumeration', Value: [{ ValueName: 'Legacy' }, { ValueName: 'Uefi' }] },
            { AttributeName: 'Cores', Type: 'Integer', LowerBound: 1, UpperBound: 64 },
            { AttributeName: 'Serial', Type: 'String', ReadOnly: true },
          ],
        },
      },
      [MEDIA]: { Members: [link(`${MEDIA}/Cd`)] },
      [`${MEDIA}/Cd`]: {
        Id: 'Cd',
        MediaTypes: ['CD', 'DVD'],
        Image: this.media,
        Inserted: this.media !== null,
        Actions: {
          '#VirtualMedia.InsertMedia': { target: `${MEDIA}/Cd/Actions/VirtualMedia.InsertMedia` },
          '#VirtualMedia.EjectMedia': { target: `${MEDIA}/Cd/Actions/VirtualMedia.EjectMedia` },
        },
      },
    };
  }

  #update(image: string, chosen: unknown): Said {
    const targets = Array.isArray(chosen) ? chosen.map((path) => String(path).split('/').at(-1) ?? '') : ['BIOS'];
    const path = `${TASKS_PATH}/${this.#tasks.size + 1}`;
    this.#tasks.set(path, { left: this.looks, targets });
    this.done.add(`update ${targets.join(' ')} ${image}`);
    return {
      status: 202,
      headers: { location: `${path}/Monitor`, 'retry-after': '1' },
      body: typedResource(path, { TaskState: 'New' }),
    };
  }

  #pushed({ headers, text }: Asked): Said {
    const boundary = /boundary=(.*)$/.exec(String(headers['content-type']))?.[1] ?? '';
    const [, parameters = '', file = ''] = text.split(`--${boundary}`);
    const [, json = '{}'] = parameters.split('\r\n\r\n');
    const [head = '', bytes = ''] = file.split('\r\n\r\n');
    if (Number(headers['content-length']) !== text.length) return rejection(411, 'The length is wrong');
    this.pushed = bytes.slice(0, -2);
    return this.#update(/filename="([^"]*)"/.exec(head)?.[1] ?? '', JSON.parse(json).Targets);
  }

  #task(asked: string): Said {
    const path = asked.replace(/\/Monitor$/, '');
    const task = this.#tasks.get(path);
    if (task === undefined) return rejection(404, 'There is no such task');
    task.left -= 1;
    if (task.left > 0) {
      const state = typedResource(path, { TaskState: 'Running', PercentComplete: 50 });
      return { status: asked === path ? 200 : 202, body: state };
    }
    if (this.fails)
      return found(
        typedResource(path, {
          TaskState: 'Exception',
          TaskStatus: 'Critical',
          Messages: [{ MessageId: 'Update.1.0.ApplyFailed', Message: 'The image is damaged' }],
        }),
      );
    for (const id of task.targets) this.versions[id] = this.image;
    if (this.forgets) this.#tasks.clear();
    return this.forgets
      ? rejection(404, 'There is no such task')
      : found(typedResource(path, { TaskState: 'Completed', TaskStatus: 'OK' }));
  }

  #set(attributes: Record<string, Value>): Said {
    Object.assign(this.pending, attributes);
    this.done.add(`bios ${Object.keys(attributes).join(' ')}`);
    return { status: 200, body: {} };
  }

  #medium(path: string, body: Record<string, unknown>): Said {
    const inserts = path.endsWith('InsertMedia');
    if (inserts && this.media !== null) return rejection(400, 'The drive is not empty');
    this.media = inserts ? String(body.Image) : null;
    this.done.add(inserts ? `insert ${this.media}` : 'eject');
    return { status: 204 };
  }
}
