/** Limits a request to the teams of its user, before the handler (`auth/reach.ts`). */
import type { Engine } from '../../engine/api-port/index.ts';
import { checkRecord, checkWorkflow, nodeInReach } from '../auth/reach.ts';
import { narrowedPage } from '../http/list.ts';
import type { Call, Route } from '../http/route.ts';
import type { TeamScope } from '../http/scope.ts';

type Input = Pick<Call, 'params' | 'query' | 'body' | 'page'>;

/** @throws NodewrightError NOT_FOUND, MissingPrivilege */
export async function withinReach(
  engine: Engine,
  { reach }: Pick<Route, 'reach'>,
  scope: TeamScope | undefined,
  input: Input,
): Promise<Input & { scope?: TeamScope }> {
  if (scope === undefined || reach === undefined) return input;
  const { params, page } = input;
  const limited = reach.list === undefined ? page : narrowedPage(page, { [reach.list]: { $in: [...scope.teams] } });
  const whole = { ...input, page: limited, scope };
  const of = (team: string | undefined) => ({ ...whole, scope: { ...scope, ...(team !== undefined && { team }) } });
  if (reach.by === 'node') {
    const { id, team } = await nodeInReach(engine, scope, params.identifier);
    // By its id: the identifier may mean another node a moment later.
    return { ...of(team), params: { ...params, identifier: id } };
  }
  if (reach.by === 'workflow') return of(await checkWorkflow(engine, scope, params.id));
  if (reach.by === 'record') return of(await checkRecord(engine, scope, reach.records, params.id));
  return whole;
}
