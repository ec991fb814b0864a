/**
 * The next step of one server. All state is in its annotations and in the daemon, so a step that was interrupted, even by `kill -9`, is continued by
 * whichever process looks next:
 *
 * 1. Take: one patch names the run, by a random id, and asks the operator to park the server.
 * 2. Launch, when it is parked. The run's id is the domain of the workflow: before a launch the daemon is asked for a workflow of this domain, so
 *    none is launched twice. A retry of the workflow has the same domain, and is followed, too.
 * 3. Return: one patch has the result, removes the request and asks the operator to manage the server again. After a failure a person decides.
 */
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../engine/vocabulary/json.ts';
import { isActive } from '../../../engine/vocabulary/states.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { ApiError, isPassing } from '../api-error.ts';
import type { Client } from '../client.ts';
import { workflowPage } from '../workflow-page.ts';
import { type AnnotationChanges, annotationText, PROGRESS, REQUEST, requestIn } from './annotations.ts';
import { type CheckOptions, checkServerRequest } from './check-server-request.ts';
import type { Kubernetes } from './kubernetes-client.ts';
import type { ParkedServer, ServerOperator } from './parked-server.ts';
import { rowOf, type ServerRow, type ServerState } from './server-rows.ts';

export interface ServerCluster {
  client: Client;
  kubernetes: Kubernetes;
  operator: ServerOperator;
  signal: AbortSignal;
}

export interface AdvanceOptions extends CheckOptions {
  /** The origin of the console, for links. */
  origin: string;
  /** Whether a server whose workflow did not succeed is given back. */
  returnsFailed: boolean;
}

export interface Step {
  row: ServerRow;
  /** Nothing more is done before something changes. */
  isSettled: boolean;
  /** The object after a change; absent: it has not changed. */
  object?: JsonObject;
}

const RUN_FIELDS = 'id,injectableName,status,error,finishedAt';
type RunWorkflow = Pick<GetAnswer<'/workflows'>[number], 'id' | 'injectableName' | 'status' | 'error' | 'finishedAt'>;

/** @returns undefined: the server does not ask for a graph @throws KubernetesError, CommandError */
export async function advance(
  cluster: ServerCluster,
  server: ParkedServer,
  options: AdvanceOptions,
): Promise<Step | undefined> {
  const run = server.annotations[PROGRESS.run];
  if (run === undefined)
    return server.annotations[REQUEST.graph] === undefined ? undefined : takeServer(cluster, server, options);
  if (!/^[0-9a-f-]{36}$/.test(run))
    return settledStep(rowOf(server, 'skipped', `found no UUID in ${PROGRESS.run}; remove this annotation`));
  if (options.isDry) return settledStep(rowOf(server, stateOf(server), 'it was taken before'));
  return new Run(cluster, server, options, run).advance();
}

const settledStep = (row: ServerRow): Step => ({ row, isSettled: true });

const stateOf = ({ annotations }: ParkedServer): ServerState =>
  (['running', 'failed', 'cancelled'] as const).find((state) => state === annotations[PROGRESS.state]) ?? 'parking';

async function takeServer(cluster: ServerCluster, server: ParkedServer, options: AdvanceOptions): Promise<Step> {
  const checked = await checkServerRequest(cluster.client, server, options);
  if (typeof checked === 'string') return settledStep(rowOf(server, 'skipped', checked));
  const node = checked.node?.id ?? null;
  const title = checked.node === null ? 'a node that is created' : `the node ${checked.node.name}`;
  const how = server.isParked ? 'it is parked' : 'it is parked first';
  if (options.isDry || node === null)
    return settledStep(rowOf(server, 'planned', annotationText(`runs on ${title}; ${how}`), { node }));
  const object = await changeAnnotations(cluster, server, {
    ...withoutResult,
    ...(server.isParked ? {} : cluster.operator.park),
    [PROGRESS.run]: randomUUID(),
    [PROGRESS.node]: node,
    [PROGRESS.parkedBy]: server.isParked ? 'another' : 'nodewright',
    [PROGRESS.state]: 'parking',
  });
  return {
    row: rowOf(server, 'parking', annotationText(`runs on ${title}; ${how}`), { node }),
    isSettled: false,
    object,
  };
}

const withoutResult: AnnotationChanges = Object.fromEntries(Object.values(PROGRESS).map((name) => [name, null]));

/** A version that is no longer the newest is rejected, and read again. */
const changeAnnotations = (
  { kubernetes }: ServerCluster,
  { path, resourceVersion }: ParkedServer,
  annotations: AnnotationChanges,
): Promise<JsonObject> => kubernetes.patch(path, { metadata: { resourceVersion, annotations } });

/** A server that was taken. */
class Run {
  readonly #cluster: ServerCluster;
  readonly #server: ParkedServer;
  readonly #options: AdvanceOptions;
  readonly #domain: string;

  constructor(cluster: ServerCluster, server: ParkedServer, options: AdvanceOptions, run: string) {
    this.#cluster = cluster;
    this.#server = server;
    this.#options = options;
    this.#domain = `kubernetes-${run}`;
  }

  async advance(): Promise<Step> {
    const workflow = await this.#newestWorkflow();
    if (workflow !== undefined) return this.#follow(workflow);
    if (this.#server.annotations[PROGRESS.workflow] !== undefined)
      return this.#conclude('failed', { [PROGRESS.message]: 'The daemon no longer has the workflow' });
    if (this.#isWithdrawn) return this.#return('withdrawn', { [PROGRESS.message]: 'The request was withdrawn' });
    if (!this.#server.isParked)
      return {
        row: rowOf(this.#server, 'parking', annotationText(`waits for the operator: ${this.#waitsFor()}`)),
        isSettled: false,
      };
    return this.#launch();
  }

  get #isWithdrawn(): boolean {
    return this.#server.annotations[REQUEST.graph] === undefined;
  }

  #waitsFor(): string {
    const { obstacle, status } = this.#server;
    return obstacle ?? status;
  }

  async #newestWorkflow(): Promise<RunWorkflow | undefined> {
    const query = { domain: this.#domain, root: 'null', sort: '-createdAt', $top: 1, fields: RUN_FIELDS };
    return (await this.#cluster.client.get('/workflows', { query })).body[0];
  }

  async #launch(): Promise<Step> {
    const { annotations } = this.#server;
    const request = requestIn(annotations);
    const { [PROGRESS.node]: node } = annotations;
    if (typeof request === 'string') return this.#return('rejected', { [PROGRESS.message]: request });
    if (node === undefined) return this.#return('rejected', { [PROGRESS.message]: `found no ${PROGRESS.node}` });
    const { graph: name, options } = request;
    try {
      const body = { name, options, node, domain: this.#domain };
      return await this.#follow((await this.#cluster.client.post('/workflows', { body })).body);
    } catch (error) {
      if (!(error instanceof ApiError) || isPassing(error) || error.status === 401 || error.status >= 500) throw error;
      const message = annotationText(error.message);
      // A node that is busy or held becomes free; another process may also have launched this run.
      if (error.status === 409) return { row: rowOf(this.#server, 'parking', message), isSettled: false };
      return this.#return('rejected', { [PROGRESS.message]: message });
    }
  }

  async #follow(workflow: RunWorkflow): Promise<Step> {
    const { id, status, error, finishedAt } = workflow;
    const noted = { [PROGRESS.workflow]: id, [PROGRESS.link]: workflowPage(this.#options.origin, id) };
    if (!isActive(status))
      return this.#conclude(status === 'succeeded' || status === 'cancelled' ? status : 'failed', {
        ...noted,
        [PROGRESS.finishedAt]: finishedAt ?? null,
        [PROGRESS.message]: error === null ? null : annotationText(`${error.message} (${error.code})`),
      });
    const object = await this.#changeIfDifferent({
      ...noted,
      [PROGRESS.state]: 'running',
      [PROGRESS.message]: null,
      [PROGRESS.finishedAt]: null,
    });
    const details = `${annotationText(workflow.injectableName)} runs`;
    return { row: rowOf(this.#server, 'running', details, { workflow: id }), isSettled: false, ...object };
  }

  async #conclude(state: 'succeeded' | 'failed' | 'cancelled', result: AnnotationChanges): Promise<Step> {
    if (state === 'succeeded' || this.#isWithdrawn || this.#options.returnsFailed) return this.#return(state, result);
    const object = await this.#changeIfDifferent({ ...result, [PROGRESS.state]: state });
    const reason = result[PROGRESS.message] ?? state;
    const details = annotationText(
      `stays parked: ${reason}; retry the workflow, or remove ${REQUEST.graph} to give the server back`,
    );
    return { ...settledStep(rowOf(this.#server, state, details, workflowIn(result))), ...object };
  }

  async #return(state: ServerState, result: AnnotationChanges): Promise<Step> {
    const { annotations } = this.#server;
    const isOurs = annotations[PROGRESS.parkedBy] === 'nodewright';
    const object = await changeAnnotations(this.#cluster, this.#server, {
      ...Object.fromEntries(Object.values(REQUEST).map((name) => [name, null])),
      [PROGRESS.run]: null,
      [PROGRESS.node]: null,
      [PROGRESS.parkedBy]: null,
      ...(isOurs ? this.#cluster.operator.unpark : {}),
      ...result,
      [PROGRESS.state]: state,
    });
    const place = isOurs ? 'given back' : 'stays parked, as it was before';
    const message = result[PROGRESS.message];
    const details = annotationText(message == null ? place : `${place}: ${message}`);
    return { ...settledStep(rowOf(this.#server, state, details, workflowIn(result))), object };
  }

  /** A patch without an effect would still be an exchange with the API. */
  async #changeIfDifferent(changes: AnnotationChanges): Promise<{ object?: JsonObject }> {
    const { annotations } = this.#server;
    const isSame = Object.entries(changes).every(([name, value]) => (annotations[name] ?? null) === value);
    return isSame ? {} : { object: await changeAnnotations(this.#cluster, this.#server, changes) };
  }
}

const workflowIn = (result: AnnotationChanges): { workflow?: string } => {
  const workflow = result[PROGRESS.workflow];
  return workflow == null ? {} : { workflow };
};
