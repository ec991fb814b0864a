/** Errors about the state of a job, with the codes and messages of BullMQ's other backends. */
import { ErrorCode } from 'bullmq';

const coded = (code: ErrorCode, message: string): Error => Object.assign(new Error(message), { code });

export const missingJob = (id: string, command: string) =>
  coded(ErrorCode.JobNotExist, `Missing key for job ${id}. ${command}`);

export const missingLock = (id: string, command: string) =>
  coded(ErrorCode.JobLockNotExist, `Missing lock for job ${id}. ${command}`);

export const otherLock = (id: string, command: string) =>
  coded(ErrorCode.JobLockMismatch, `Lock mismatch for job ${id}. Cmd ${command} from active`);

export const notActive = (id: string, command: string) =>
  coded(ErrorCode.JobNotInState, `Job ${id} is not in the active state. ${command}`);

export const ofScheduler = (id: string) =>
  coded(
    ErrorCode.JobBelongsToJobScheduler,
    `Job ${id} belongs to a job scheduler and cannot be removed directly. removeJob`,
  );

export const iterationExists = () =>
  coded(
    ErrorCode.SchedulerJobIdCollision,
    'Cannot create job scheduler iteration - job ID already exists. addJobScheduler',
  );

export const iterationsExist = () =>
  coded(
    ErrorCode.SchedulerJobSlotsBusy,
    'Cannot create job scheduler iteration - current and next time slots already have jobs. addJobScheduler',
  );
