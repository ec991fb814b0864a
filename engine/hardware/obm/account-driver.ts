/** The accounts of a BMC, as one of its services shows them. */
import { ObmError } from '../../define/obm.ts';

export interface AccountDriver {
  readonly user: string;
  /** Characters of a password: the fewest and the most that the BMC takes, and that every BMC of this kind keeps. */
  limits(signal: AbortSignal): Promise<{ least: number; most: number; safe: number }>;
  /** Tries a log-in of its own: an open session of the user may outlive its password. */
  accepts(password: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Changes the password of the account, and proves the new one by a log-in. A BMC that takes a password and then does not
   * accept it gets the current one again, by the session that is still open.
   */
  change(current: string, next: string, signal: AbortSignal): Promise<void>;
}

/** A log-in that the BMC rejects is `false`; every other error is thrown. */
export async function isAccepted(login: () => Promise<unknown>): Promise<boolean> {
  try {
    await login();
    return true;
  } catch (error) {
    if (error instanceof ObmError && error.code === 'OBM_REJECTED' && error.status !== 403) return false;
    throw error;
  }
}

export const forgetful = (user: string) =>
  new ObmError(
    'OBM_FAILED',
    `the BMC took a new password of ${user} and does not accept it; it has the current one again, try another length`,
    { retry: false },
  );
