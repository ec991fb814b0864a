/** Two teams, with members and nodes, on an engine that tests share. */
import type { ExecutionContext } from 'ava';
import type { Engine } from '../../../engine/api-port/index.ts';
import type { TestEngine } from '../engine/engine.ts';
import { type Answer, type Api, northbound, PASSWORD, serve } from './api.ts';

export type TeamBindings = { role: string; team: string; graphs?: string[] }[];

export interface TeamScene extends Api<Engine> {
  it: TestEngine;
  /** Two teams of this test. */
  a: string;
  b: string;
  /** Returns a name of this test. */
  named(name: string): string;
  call(method: string, path: string, body?: unknown, token?: string): Promise<Answer>;
  /** Creates a user with these bindings, and returns a token. */
  member(username: string, bindings: TeamBindings, role?: string): Promise<string>;
  /** Creates a node, and returns its id. */
  node(name: string, owner?: string): Promise<string>;
}

/** It waits until it is cancelled, or a node reports. */
export const WAITING = 'Graph.Demo.InstallOs';

/** It ends by itself. */
export const NOOP = 'Graph.noop-example';
/** No record has it. */
export const STRANGER = '11111111-1111-4111-8111-111111111111';

let scenes = 0;

export async function openTeamScene(t: ExecutionContext, it: TestEngine): Promise<TeamScene> {
  scenes += 1;
  const suffix = scenes;
  const named = (name: string) => `${name}-${suffix}`;
  const api = await serve(t, northbound, it.engine as Engine);
  const admin = await api.as('Administrator');
  const call: TeamScene['call'] = (method, path, body, token = admin) =>
    api.send(method, `/api/current${path}`, { token, ...(body !== undefined && { body }) });
  const [a, b] = [named('a'), named('b')];
  for (const name of [a, b]) t.is((await call('POST', '/teams', { name })).status, 201);
  return {
    ...api,
    it,
    a,
    b,
    named,
    call,
    async member(name, bindings, role) {
      const username = named(name);
      const made = await call('POST', '/users', { username, password: PASSWORD, bindings, ...(role && { role }) });
      t.is(made.status, 201, JSON.stringify(made.body));
      const login = await api.send('POST', '/login', { body: { username, password: PASSWORD } });
      t.is(login.status, 200);
      return login.body.token;
    },
    async node(name, owner) {
      const obms = [{ service: 'noop-obm-service' }];
      const made = await call('POST', '/nodes', { type: 'compute', name: named(name), obms, ...(owner && { owner }) });
      t.is(made.status, 201, JSON.stringify(made.body));
      return made.body.id;
    },
  };
}
