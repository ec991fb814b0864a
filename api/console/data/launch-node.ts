/** The nodes of a launch, and their plans. */
import type { GetAnswer } from '../../client/requests.ts';
import type { ShownPlan } from '../../client/shown-plan.ts';

export type LaunchNode = Pick<GetAnswer<'/nodes'>[number], 'id' | 'name' | 'sku'> &
  Partial<Pick<GetAnswer<'/nodes'>[number], 'active' | 'held'>>;

export interface PlanOfNode {
  node: LaunchNode | undefined;
  plan: ShownPlan;
}
