/**
 * The port of the API to the engine: everything that the HTTP interface uses, and nothing else. Pure types, so that the
 * API can be tested against a small fake. Each area has its own file.
 *
 * 1. A client error is thrown as a NodewrightError with the message of the interface; any other error is an internal one
 *    and is answered with 500.
 * 2. Returned rows are redacted: they contain no secret option, output or context value.
 * 3. A list never returns more than `limit` items.
 */

import type { IbmService } from '../define/node.ts';
import type { ChangeableConfig, Config } from '../platform/config/config.ts';
import type { Agents } from './agents.ts';
import type { Alerts } from './alerts.ts';
import type { Audit } from './audit.ts';
import type { Baselines } from './baselines.ts';
import type { Batches } from './batches.ts';
import type { Bmcs } from './bmcs.ts';
import type { BulkActions } from './bulk-actions.ts';
import type { Certificates } from './certificates.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { Discovery } from './discovery.ts';
import type { Events } from './events.ts';
import type { Failures } from './failures.ts';
import type { Files } from './files.ts';
import type { VersionRequests } from './graph-versions.ts';
import type { Hardware } from './hardware.ts';
import type { Holds } from './holds.ts';
import type { Hooks } from './hooks.ts';
import type { LaunchPlans } from './launch-plans.ts';
import type { Library } from './library.ts';
import type { MachineConsoles } from './machine-consoles.ts';
import type { Healths } from './node-health.ts';
import type { Catalogs, Lookups, Nodes, Obms } from './nodes.ts';
import type { Notifications } from './notifications.ts';
import type { Pollers } from './pollers.ts';
import type { Power } from './power.ts';
import type { Provider, ProviderNames } from './provider.ts';
import type { Rehearsals } from './rehearsals.ts';
import type { Rollouts } from './rollouts.ts';
import type { Rules } from './rules.ts';
import type { Schedules } from './schedules.ts';
import type { Simulations } from './simulations.ts';
import type { Packs, Skus, Tags } from './skus.ts';
import type { BootImageRequests, SouthboundRequests } from './southbound.ts';
import type { Teams } from './teams.ts';
import type { Tickets } from './tickets.ts';
import type { Access, ApiTokens, EndedTokens } from './tokens.ts';
import type { Roles, Sessions, Users } from './users.ts';
import type { Windows } from './windows.ts';
import type { Launches, WorkflowControl, Workflows } from './workflows.ts';

export type { TicketGrant } from '../durable/actors/messages.ts';
export type { ChangeableConfig } from '../platform/config/config.ts';
export type { HttpEndpoint as Endpoint } from '../platform/config/endpoints.ts';
export type { SouthboundQuotas } from '../platform/config/southbound-quotas.ts';
export type { ProviderUser } from '../platform/openid/provider-claims.ts';
export type * from './agents.ts';
export type * from './alerts.ts';
export type * from './audit.ts';
export type * from './baselines.ts';
export type * from './batches.ts';
export type * from './bmcs.ts';
export type * from './bulk-actions.ts';
export type * from './certificates.ts';
export type * from './diagnosis.ts';
export type * from './discovery.ts';
export type * from './events.ts';
export type * from './failures.ts';
export type * from './files.ts';
export type * from './graph-versions.ts';
export type * from './hardware.ts';
export type * from './holds.ts';
export type * from './hooks.ts';
export type * from './launch-plans.ts';
export type * from './library.ts';
export type * from './machine-consoles.ts';
export type * from './node-health.ts';
export type * from './nodes.ts';
export type * from './notifications.ts';
export type * from './page.ts';
export type * from './pollers.ts';
export type * from './power.ts';
export type * from './provider.ts';
export type * from './rehearsals.ts';
export type * from './rollouts.ts';
export type * from './rules.ts';
export type * from './schedules.ts';
export type * from './simulations.ts';
export type * from './skus.ts';
export type * from './southbound.ts';
export type * from './teams.ts';
export type * from './tickets.ts';
export type * from './tokens.ts';
export type * from './users.ts';
export type * from './windows.ts';
export type * from './workflow-diffs.ts';
export type * from './workflows.ts';

/** The part of the configuration that the API reads. */
export type ApiConfig = Pick<
  Config,
  | 'httpEndpoints'
  | 'healthEndpoint'
  | 'enableLocalHostException'
  | 'authTokenExpireIn'
  | 'bodyLimit'
  | 'packLimit'
  | 'dataDir'
  | 'log'
  | 'servicePublicIp'
  | 'southboundQuotas'
  | 'southboundKeys'
  | 'restrictions'
>;

interface ConfigRequests {
  /** Returns the configuration without secrets. */
  shownConfig(): Record<string, unknown>;
  /** Reports the bound ports. @param ports of the endpoints, in their order */
  notePorts(ports: readonly number[]): void;
  /** Changes the configuration of all daemons, until they stop. @param change already validated */
  change(change: ChangeableConfig): Promise<void>;
}

export interface Engine {
  /** The current configuration. */
  readonly config: ApiConfig;
  readonly settings: ConfigRequests;
  /** The HS256 keys of login tokens: the first signs, all are accepted. */
  readonly tokenKeys: readonly Uint8Array[];
  readonly users: Users;
  readonly roles: Roles;
  readonly sessions: Sessions;
  readonly apiTokens: ApiTokens;
  readonly endedTokens: EndedTokens;
  readonly providerNames: ProviderNames;
  readonly access: Access;
  /** Undefined: there are local users only. */
  readonly provider: Provider | undefined;
  readonly audit: Audit;
  readonly nodes: Nodes;
  readonly catalogs: Catalogs;
  readonly hardware: Hardware;
  readonly power: Power;
  readonly lookups: Lookups;
  readonly holds: Holds;
  readonly consoles: MachineConsoles;
  readonly health: Healths;
  readonly obms: Obms;
  readonly ibms: Obms<IbmService>;
  readonly bmcs: Bmcs;
  readonly batches: Batches;
  readonly bulkActions: BulkActions;
  readonly failures: Failures;
  readonly baselines: Baselines;
  readonly windows: Windows;
  readonly rehearsals: Rehearsals;
  readonly rollouts: Rollouts;
  readonly tickets: Tickets;
  readonly schedules: Schedules;
  readonly rules: Rules;
  readonly teams: Teams;
  readonly workflows: Workflows;
  readonly launches: Launches;
  readonly control: WorkflowControl;
  readonly plans: LaunchPlans;
  readonly library: Library;
  readonly graphVersions: VersionRequests;
  readonly simulations: Simulations;
  readonly notifications: Notifications;
  readonly hooks: Hooks;
  readonly events: Events;
  readonly pollers: Pollers;
  readonly skus: Skus;
  readonly tags: Tags;
  readonly packs: Packs;
  readonly files: Files;
  readonly agents: Agents;
  readonly alerts: Alerts;
  readonly certificates: Certificates;
  readonly discovery: Discovery;
  readonly diagnosis: Diagnosis;
  readonly southbound: SouthboundRequests;
  readonly bootImages: BootImageRequests;
  /** Resolves if the stores respond. @throws NodewrightError UNAVAILABLE */
  checkReady(): Promise<void>;
  /** Returns the engine's metrics as Prometheus text. */
  metrics(): Promise<string>;
}
