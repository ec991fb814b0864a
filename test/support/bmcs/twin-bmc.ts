/** A machine of the twin whose BMC answers on an address of 127/8, in a time that passes quickly. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopback } from '../../../api/cli/twin/loopback.ts';
import { MachineRequests } from '../../../api/cli/twin/machine-requests.ts';
import { MachineBmc } from '../../../engine/hardware/twin/bmc/bmc.ts';
import type { BmcOptions } from '../../../engine/hardware/twin/bmc/bmc-call.ts';
import { answerByHttp } from '../../../engine/hardware/twin/bmc/http-answer.ts';
import type { FaultPlan } from '../../../engine/hardware/twin/faults/fault.ts';
import { FaultsAtWork } from '../../../engine/hardware/twin/faults/faults-at-work.ts';
import { initialBmcState } from '../../../engine/hardware/twin/initial-bmc-state.ts';
import { applyAtReset } from '../../../engine/hardware/twin/machine/bmc-firmware.ts';
import { FieldTime } from '../../../engine/hardware/twin/machine/field-time.ts';
import type { LedgerLine, LedgerNote } from '../../../engine/hardware/twin/machine/ledger.ts';
import { factsOfMachine } from '../../../engine/hardware/twin/machine/machine-facts.ts';
import type { MachineState } from '../../../engine/hardware/twin/machine/machine-state.ts';
import type { Model } from '../../../engine/hardware/twin/machine/model.ts';
import { type Alert, Machine } from '../../../engine/hardware/twin/machine/twin-machine.ts';
import { shippedModels } from '../../../engine/hardware/twin/read-model.ts';
import type { Scope } from '../ava/scope.ts';

export const TWIN_PASSWORD = 'twin-of-a-machine';

export interface TwinMachine {
  machine: Machine;
  bmc: MachineBmc;
  state: MachineState;
  /** Such as `power reset On: done, root`. */
  ledger: string[];
  alerts: Alert[];
}

export interface TwinOptions extends BmcOptions {
  /** The name of one that ships, or another one. */
  model?: string | Model;
  faults?: FaultPlan;
  speed?: number;
}

export const modelNames = [...shippedModels().keys()];

/** As those of `nw twin`. */
const requests = new MachineRequests('http://127.0.0.1', isLoopback);

/** A machine that is off. */
export function twinMachine({ model = 'open-d54q', faults, speed = 600, ...options }: TwinOptions = {}): TwinMachine {
  const found = typeof model === 'string' ? shippedModels().get(model) : model;
  if (found === undefined) throw new Error(`no model ${String(model)}`);
  const time = FieldTime.from(speed);
  const facts = factsOfMachine(7, Math.max(modelNames.indexOf(found.name), 0), found);
  const [ledger, alerts]: [string[], Alert[]] = [[], []];
  const noted = ({ kind, what, outcome, by }: LedgerNote | LedgerLine) =>
    ledger.push(`${kind} ${what}: ${outcome}, ${by}`);
  const state: MachineState = {
    name: facts.name,
    power: { is: 'Off' },
    phase: { name: 'off' },
    bootId: '',
    bmc: initialBmcState(facts, TWIN_PASSWORD),
    drives: found.drives.map(({ name }, at) => ({
      name,
      serial: `${facts.serial}${at}`,
      wwn: `5000c500${facts.serial.toLowerCase()}${at}`,
      model: at,
      content: 'empty',
    })),
    jobs: [],
    told: 0,
  };
  const machine = new Machine(facts, state, {
    time,
    leastPauseMs: 50,
    faults: new FaultsAtWork(faults ?? { timed: [], rated: [] }, 7, () => time.sinceFirst()),
    ask: (asked, asking, signal) => requests.ask(asked, asking, signal),
    save: async (_, line) => {
      if (line !== undefined) noted(line);
    },
    alert: (_, alert) => alerts.push(alert),
    registered: () => {},
    tell: () => {},
  });
  return { machine, bmc: new MachineBmc(machine, options), state, ledger, alerts };
}

/** Its changes of power end at their time, and its firmware takes what is set. */
async function live(machine: Machine, signal: AbortSignal): Promise<void> {
  const { time } = machine.around;
  let bootId = '';
  while (!signal.aborted) {
    const { until } = machine.state.power;
    if (until !== undefined && until <= time.now()) await machine.settlePower();
    if (machine.state.bootId !== bootId) applyAtReset(machine.state, time.now());
    bootId = machine.state.bootId;
    await time.after(500, signal).catch(() => {});
  }
}

export interface ServedTwin extends TwinMachine {
  url: string;
  /** Config of a `redfish-obm-service`. */
  config: { uri: string; username: string; password: string };
  /** Ends all connections. */
  drop(): void;
}

/** Stopped when its owner ends. */
export async function startTwinBmc(t: Scope, options: TwinOptions = {}): Promise<ServedTwin> {
  const twin = twinMachine(options);
  const { machine, bmc } = twin;
  const ending = new AbortController();
  const service = { model: machine.facts.model, bmc };
  const server = createServer((request, response) => void answerByHttp(service, request, response));
  server.listen(0, machine.facts.bmcAddress);
  await once(server, 'listening');
  const living = live(machine, ending.signal);
  t.teardown(async () => {
    ending.abort(new Error('the test ends'));
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await living;
  });
  const url = `http://${machine.facts.bmcAddress}:${(server.address() as AddressInfo).port}`;
  const username = machine.facts.model.bmc.user;
  return {
    ...twin,
    url,
    config: { uri: url, username, password: TWIN_PASSWORD },
    drop: () => server.closeAllConnections(),
  };
}
