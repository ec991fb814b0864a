/** Whether a host answers as a Redfish service, before it gets a user name and a password. */
import { ObmError } from '../../define/index.ts';
import { property } from '../../vocabulary/json.ts';
import { codeOf, rootCodeOf } from '../../vocabulary/thrown-values.ts';
import { exchange } from '../rest/exchange.ts';
import { optionAdvice } from './access-advice.ts';
import { SERVICE_ROOT, type ServiceScope } from './service.ts';

/** Many addresses of a range have no host. */
const LIMIT_MS = 10_000;

interface RootScope extends Pick<ServiceScope, 'services' | 'signal'> {
  input: { url: string; verifySSL?: boolean; ca?: string };
}

/** @throws PermanentError EGRESS_DENIED, ObmError OBM_UNREACHABLE, OBM_UNSUPPORTED */
export async function needRedfish({ services, signal, input: { url: origin, ...trust } }: RootScope): Promise<void> {
  const input = { ...trust, url: `${origin}${SERVICE_ROOT}`, method: 'GET' as const, timeoutMs: LIMIT_MS };
  const { body } = await exchange({ input, signal, services }).catch((error: unknown) => {
    signal.throwIfAborted();
    if (codeOf(error) === 'EGRESS_DENIED') throw error;
    const advice = `check the address; for a certificate of its own ${optionAdvice.trust}`;
    throw new ObmError(
      'OBM_UNREACHABLE',
      `${origin} does not answer as a BMC (${rootCodeOf(error) || 'no answer'}); ${advice}`,
    );
  });
  if (typeof property(body, 'RedfishVersion') === 'string' && property(body, 'Systems') !== undefined) return;
  throw new ObmError('OBM_UNSUPPORTED', `${origin} is no Redfish service of a system`, { retry: false });
}
