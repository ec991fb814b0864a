/** Which operator a cluster has. */
import { objectIn } from '../../../engine/vocabulary/json.ts';
import { metalOperator } from './ironcore-server.ts';
import type { Kubernetes } from './kubernetes-client.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { metal3 } from './metal3-host.ts';
import { recordsIn, type ServerOperator } from './parked-server.ts';

const operators: readonly ServerOperator[] = [metal3, metalOperator];
export const operatorNames = operators.map(({ name }) => name);

/** @param name absent: the one that the cluster has @throws KubernetesError KUBERNETES_OPERATOR */
export async function installedOperator(kubernetes: Kubernetes, name?: string): Promise<ServerOperator> {
  const { groups } = objectIn(await kubernetes.get('/apis'));
  const names = recordsIn(groups).map((group) => group.name);
  const installed = operators.filter(({ group }) => names.includes(group));
  const chosen = installed.filter((operator) => name === undefined || operator.name === name);
  const [operator, other] = chosen;
  if (operator !== undefined && other === undefined) return operator;
  const expected = name === undefined ? operatorNames.join(' or ') : name;
  throw new KubernetesError(
    'KUBERNETES_OPERATOR',
    `Kubernetes at ${kubernetes.host} has ${installed.map((one) => one.name).join(' and ') || 'neither operator'}, expected ${expected}; ${
      installed.length > 1 ? 'choose one by --operator' : 'install the operator, or correct the URL'
    }`,
  );
}
