/** The API record of a template, a profile or a file. */
import { Type } from 'typebox';
import type { FileRecord } from '../../engine/api-port/index.ts';
import { nonEmpty, time } from './common.ts';
import { projection } from './projection.ts';

export const fileRecord = Type.Object(
  {
    name: nonEmpty,
    scope: nonEmpty,
    size: Type.Integer(),
    md5: nonEmpty,
    sha256: nonEmpty,
    createdAt: time,
    updatedAt: time,
  },
  { title: 'File' },
);

/** The scope for all nodes, in RackHD's term. */
export const GLOBAL = 'global';

/** Files stored before scopes existed have no scope. */
export const fileView = projection(fileRecord, { scope: ({ scope }: FileRecord) => scope ?? GLOBAL });
