/** A node with a bay of drives, its agent, and a running erase. */

import type { ExecutionContext } from 'ava';
import type { TestEngine } from '../engine/engine.ts';
import { serve, southbound } from '../servers/api.ts';
import { sharedEngine } from '../servers/shared-resources.ts';
import { type Agent, startAgent } from './agent.ts';
import { Bay, type BayDrive } from './bay.ts';

export interface Erasing {
  it: TestEngine;
  bay: Bay;
  node: string;
  port: number;
  /** Starts an erase with the fields of the request's payload. @returns the workflow's id */
  erase(eraseSettings: object[], more?: Record<string, unknown>): Promise<string>;
  agent(): Agent;
}

export const ERASE_GRAPH = 'Graph.Drive.SecureErase';

/** On an engine that all tests of a file share. */
export function eraseOpener(): (t: ExecutionContext, drives: readonly BayDrive[]) => Promise<Erasing> {
  const engine = sharedEngine();
  return async (t, drives) => open(await engine(), t, drives);
}

async function open(it: TestEngine, t: ExecutionContext, drives: readonly BayDrive[]): Promise<Erasing> {
  const bay = new Bay(t, drives);
  const { port } = await serve(t, southbound, it.engine);
  const { id: node } = await it.node();
  await it.engine.obms.put(node, { service: 'noop-obm-service' });
  await it.engine.catalogs.add(node, 'driveId', bay.catalog(drives));
  return {
    it,
    bay,
    node,
    port,
    async erase(eraseSettings, more = { 'disk-scan-delay': { duration: 10 } }) {
      const options = { 'drive-secure-erase': { eraseSettings }, ...more };
      const { id } = await it.engine.launches.launch({ name: ERASE_GRAPH, options, nodeId: node, operator: 'erika' });
      return id;
    },
    agent: () => startAgent(t, port, node, { env: bay.env }),
  };
}
