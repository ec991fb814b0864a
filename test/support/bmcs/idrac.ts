/**
 * Dell iDRAC extensions: vendor attributes, and configuration profiles that jobs export and import, one job at a time.
 * Used by `startRedfish` as its vendor.
 */
import { type Asked, found, link, rejection, type Said } from './redfish-protocol.ts';

const MANAGER = '/redfish/v1/Managers/iDRAC.Embedded.1';
const ACTIONS = `${MANAGER}/Actions/Oem/EID_674_Manager`;
const TASKS_PATH = '/redfish/v1/TaskService/Tasks';
/** Sooner than a real one, because tests wait for it. */
const soon = { 'retry-after': '0.01' };
const ALERT = '#Alert#RedfishEventing';

interface Attribute {
  Name: string;
  Value: string;
}

interface Profile {
  SystemConfiguration: { Components: { FQDD: string; Attributes: Attribute[] }[] };
}

export class Idrac {
  /** All changes, such as `EventFilters.Audit.1/USR_5_3 Disabled`. */
  readonly done: string[] = [];
  readonly attributes: Record<string, string> = { 'IPMILan.1.AlertEnable': 'Disabled', 'IPMILan.1.PrivLimit': 'User' };
  /** By component, then by name without its suffix; the last digit of the name is the severity. */
  readonly filters: Record<string, Record<string, string>> = {
    'EventFilters.SystemHealth.1': { AMP_1_1: 'Disabled', BAT_1_3: 'Enabled' },
    'EventFilters.Storage.1': { PDR_2_2: 'Disabled' },
    'EventFilters.Configuration.1': { BIOS_3_3: 'Disabled' },
    'EventFilters.Audit.1': { USR_5_1: 'Disabled', USR_5_3: 'Enabled' },
    'EventFilters.Updates.1': { RED_5_2: 'Enabled' },
  };
  /** Firmware whose manager links to its attributes. */
  isLinked = true;
  /** Whether the next import fails. */
  importFails = false;
  /** Number of jobs to reject because another job is running. */
  rejections = 0;
  /** The shutdown types of all imports. */
  readonly shutdowns: unknown[] = [];
  readonly #jobs = new Map<string, { left: number; end: Said }>();

  readonly answer = (asked: Asked): Said | undefined => {
    const { method, path } = asked;
    if (path === '/redfish/v1/Managers') return found({ Members: [link(MANAGER)] });
    if (path === MANAGER) return found(this.#manager());
    if (path === this.#attributesAt)
      return method === 'PATCH' ? this.#set(asked) : found({ Attributes: this.attributes });
    if (path === `${ACTIONS}.ExportSystemConfiguration`) return this.#job(this.#exported(asked));
    if (path === `${ACTIONS}.ImportSystemConfiguration`) return this.#job(this.#imported(asked));
    return path.startsWith(TASKS_PATH) ? this.#monitor(path) : undefined;
  };

  get #attributesAt(): string {
    return this.isLinked ? `${MANAGER}/Oem/Dell/DellAttributes/iDRAC.Embedded.1` : `${MANAGER}/Attributes`;
  }

  #manager(): object {
    const actions = ['ExportSystemConfiguration', 'ImportSystemConfiguration', 'ImportSystemConfigurationPreview'];
    const all = actions.map((name) => [`#OemManager.${name}`, { target: `${ACTIONS}.${name}` }]);
    const others = ['System.Embedded.1', 'LifecycleController.Embedded.1', 'iDRAC.Embedded.1'];
    const linked = others.map((name) => link(`${MANAGER}/Oem/Dell/DellAttributes/${name}`));
    const Links = this.isLinked ? { Oem: { Dell: { DellAttributes: linked } } } : {};
    return { ...link(MANAGER), Links, Actions: { Oem: Object.fromEntries(all) } };
  }

  #set({ body }: Asked): Said {
    for (const [name, value] of Object.entries(body.Attributes as Record<string, string>)) {
      this.attributes[name] = value;
      this.done.push(`${name} ${value}`);
    }
    return found({ '@Message.ExtendedInfo': [{ Message: 'The request completed successfully.' }] });
  }

  #exported({ body }: Asked): Said {
    const { Target: target } = body.ShareParameters as { Target: string };
    const filters = this.filters[target];
    if (body.ExportFormat !== 'JSON' || filters === undefined) return failed('The target is not known');
    const names = Object.entries(filters).flatMap(([name, value]) => [
      { Name: `${name}#Alert#SNMP`, Value: 'Disabled', 'Set On Import': 'True', Comment: 'Read and Write' },
      { Name: `${name}${ALERT}`, Value: value, 'Set On Import': 'True', Comment: 'Read and Write' },
    ]);
    const Components = [{ FQDD: target, Attributes: names }];
    return found({ SystemConfiguration: { Model: 'PowerEdge R640', ServiceTag: '1234567', Components } });
  }

  #imported({ body }: Asked): Said {
    this.shutdowns.push(body.ShutdownType);
    if (this.importFails) return failed('Unable to complete the import of the configuration');
    const { SystemConfiguration: profile } = JSON.parse(String(body.ImportBuffer)) as Profile;
    for (const { FQDD, Attributes: all } of profile.Components) {
      for (const { Name, Value } of all) {
        const name = Name.replace(ALERT, '');
        const filters = this.filters[FQDD] ?? {};
        filters[name] = Value;
        this.done.push(`${FQDD}/${name} ${Value}`);
      }
    }
    return found({ TaskState: 'Completed', TaskStatus: 'OK', Messages: [{ Message: 'Successfully imported.' }] });
  }

  #job(end: Said): Said {
    if (this.rejections > 0) {
      this.rejections -= 1;
      return rejection(503, 'A job is running already');
    }
    const place = `${TASKS_PATH}/JID_${this.#jobs.size + 1}`;
    this.#jobs.set(place, { left: 1, end });
    return { status: 202, headers: { location: place, ...soon } };
  }

  #monitor(path: string): Said {
    const job = this.#jobs.get(path);
    if (job === undefined) return rejection(404, 'There is no such job');
    if (job.left === 0) return job.end;
    job.left -= 1;
    return { status: 202, body: { TaskState: 'Running' }, headers: soon };
  }
}

const failed = (Message: string): Said =>
  found({ TaskState: 'Exception', TaskStatus: 'Critical', Messages: [{ Message }] });
