/**
 * PGlite's folder on disk, with an fsync that reaches the disk. PGlite's own file system has none, so PostgreSQL
 * considers a commit durable that is only in the kernel's memory. It would survive `kill -9`, but not a power failure.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

type Opts = Parameters<NodeFS['init']>[1];

/** An open file of emscripten's NODEFS; `nfd` is Node's file descriptor, absent for a folder. */
interface Stream {
  nfd?: number;
  node: unknown;
}

interface NodeFileSystem {
  realPath(node: unknown): string;
  stream_ops: { fsync?: (stream: Stream) => number };
}

/** Omits `-F`, which turns fsync off; sets wal_sync_method, because emscripten's fdatasync does nothing. */
export const syncedStartParams = [
  ...PGlite.defaultStartParams.filter((param) => param !== '-F'),
  '-c',
  'wal_sync_method=fsync',
];

export class SyncedFolder extends NodeFS {
  readonly #onSync: () => void;

  /** @param onSync called after each completed sync */
  constructor(folder: string, onSync: () => void) {
    super(folder);
    this.#onSync = onSync;
  }

  override async init(pg: PGlite, opts: Opts): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, opts);
    const preRun = emscriptenOpts.preRun ?? [];
    preRun.push((mod) => {
      const files = mod.NODEFS as unknown as NodeFileSystem;
      files.stream_ops.fsync = (stream) => {
        if (stream.nfd === undefined) syncPath(files.realPath(stream.node));
        else fs.fdatasyncSync(stream.nfd);
        this.#onSync();
        return 0;
      };
    });
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  }
}

function syncPath(path: string): void {
  const file = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

/** Syncs a folder and all of its contents: a new database is written without any sync. */
export function syncTree(folder: string): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) syncTree(path);
    else if (entry.isFile()) syncPath(path);
  }
  syncPath(folder);
}
