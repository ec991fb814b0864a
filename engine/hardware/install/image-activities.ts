/** The activities of the task that writes an image, in addition to its command. Each may run again after a crash. */
import { type ActivityScope, activity, type ErrorCode, PermanentError } from '../../define/index.ts';
import { type PlannedDrive, planOf, planOfFound } from '../erase/plan.ts';
import type { EndedJob } from '../jobs/job-machine.ts';
import { type FirstBootOptions, firstBootFiles } from './first-boot.ts';
import { type ImageWrite, imageFacts } from './image-commands.ts';
import { contradictions } from './install-values.ts';

export interface ImageOptions extends FirstBootOptions {
  image: string;
  sha256: string;
  format: 'raw' | 'gz' | 'xz' | 'zst';
  disk: string | number;
  grow: boolean;
  /** Set by the graph: the drive that its check found. */
  plan?: unknown[];
}

/** Returns the drive that the options mean. @throws PermanentError INSTALL_REJECTED */
export function imageDrive(disk: string | number, catalog: unknown, planned?: unknown[]): PlannedDrive {
  const { drives, violations } =
    planned === undefined ? planOf([{ disks: [disk] }], catalog) : planOfFound(planned as PlannedDrive[], catalog);
  const [drive] = drives;
  if (drive !== undefined && violations.length === 0) return drive;
  const described = violations.map(({ message }) => message).join('; ');
  throw new PermanentError(`disk: ${described}; nothing was written`, 'INSTALL_REJECTED');
}

/** Finds the drive in the newest catalog, and makes the data of the first boot. */
export const planImage = activity(
  async ({ input, nodeId, operationId, services }: ActivityScope<ImageOptions>): Promise<ImageWrite> => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has no disk', 'NO_NODE');
    const wrong = contradictions(input)[0];
    if (wrong !== undefined) throw new PermanentError(`${wrong.path}: ${wrong.message}`, 'INSTALL_REJECTED');
    const { devName, wwid } = imageDrive(input.disk, await services.catalog(nodeId, 'driveId'), input.plan);
    const run = operationId.replace('/', '-');
    const { image: url, sha256, format, grow } = input;
    return {
      run,
      devName,
      wwid,
      url: url.replace(/^\/+/, ''),
      sha256,
      format,
      grow,
      seed: await firstBootFiles(run, input),
    };
  },
);

export interface ImageWritten {
  devName: string;
  /** Bytes of the image. */
  length: number;
  /** SHA-256 of the written bytes, which the disk returned. */
  sha256: string;
  /** The partition that was extended; null: none. */
  grown: string | null;
}

/** Decides by the last report of the job. */
export const concludeImage = activity(
  async ({ input: { plan, result } }: ActivityScope<EndedJob<ImageWrite>>): Promise<ImageWritten> => {
    const { code = 'DRIVE_STATE_UNKNOWN', message, length, content = '', grown } = imageFacts(result.stdout);
    if (code === 'OK') {
      const part = grown === undefined || grown === 'no' ? null : grown;
      return { devName: plan.devName, length: Number(length), sha256: content, grown: part };
    }
    throw new PermanentError(message ?? 'the node does not report how the write ended', code as ErrorCode);
  },
);
