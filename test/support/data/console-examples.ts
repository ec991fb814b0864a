/** Uses of the serial console of a machine. */
import { OwnScope } from '../ava/scope.ts';
import { fakeIpmitool } from '../bmcs/fake-ipmitool.ts';
import type { TestEngine } from '../engine/engine.ts';
import type { OperationExample, Step } from './example-step.ts';

type Made = (path: string, body: unknown) => Promise<{ id: string }>;
type On = (method: string, path: string, body?: unknown) => Step;

export async function* consoleExamples(made: Made, on: On, it: TestEngine): AsyncGenerator<OperationExample> {
  const scope = new OwnScope();
  const machine = fakeIpmitool(scope);
  const config = { host: '127.0.0.1', user: 'u', password: 'p' };
  const { id } = await made('/nodes', { type: 'compute', name: 'e', obms: [{ service: 'ipmi-obm-service', config }] });
  const at = `/nodes/${id}/console`;
  const state = async () => it.engine.consoles.get(id);
  const connected = () => it.until(async () => (await state()).state === 'connected');
  yield ['putConsole', on('PUT', at, { source: 'ipmi' }), connected];
  await connected();
  machine.write('login: \n');
  await it.until(async () => (await state()).seq === 1);
  yield ['getConsole', on('GET', at)];
  yield ['listConsoleLines', on('GET', `${at}/log`)];
  yield ['followConsole', on('GET', `${at}/stream`)];
  yield ['typeAtConsole', on('POST', `${at}/input`, { text: 'root\r' })];
  yield ['deleteConsole', on('DELETE', at)];
  await scope.close();
}
