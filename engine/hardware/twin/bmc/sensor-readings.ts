/** Readings of the sensors of a machine, computed from the model, the power, and the minute: nothing is stored. */

import type { Model } from '../machine/model.ts';
import type { Machine } from '../machine/twin-machine.ts';

export type ModelSensor = Model['sensors'][number];

/** Readings while the machine is off: °C of its room, and the watts of its BMC. */
const idle = { temperature: 22, fan: 0, power: 18 } as const;

const MINUTE_MS = 60_000;

/** Differs by up to 4 % over time and between machines. */
export function readingOf({ facts, isOn, around }: Machine, { kind, reading }: ModelSensor, at: number): number {
  if (!isOn) return idle[kind];
  const phase = Math.floor(around.time.now() / MINUTE_MS) + facts.index * 7 + at * 3;
  return Math.round(reading * (1 + 0.04 * Math.sin(phase)));
}

export const sensorsOf = ({ sensors }: Model, kind: ModelSensor['kind']): ModelSensor[] =>
  sensors.filter((sensor) => sensor.kind === kind);

/** The id of a resource from the name of a sensor. */
export const sensorId = ({ name }: ModelSensor): string => name.replaceAll(/[^A-Za-z0-9]+/g, '_');

/** Watts that each power supply gives. */
export function supplyWatts(machine: Machine): number {
  const { model } = machine.facts;
  const [sensor] = sensorsOf(model, 'power');
  return sensor === undefined ? 0 : Math.round(readingOf(machine, sensor, 0) / Math.max(model.powerSupplies.count, 1));
}
