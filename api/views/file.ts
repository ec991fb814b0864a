/** A template, a profile or a file, as the interface shows it. */
import { Type } from 'typebox';
import type { FileRecord } from '../../engine/api-port/index.ts';
import { nonEmpty, time } from './common.ts';

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

/** The field's word for the scope of all nodes. */
export const GLOBAL = 'global';

/** A file that was stored before there were scopes has none. */
export const fileView = ({ name, scope, size, md5, sha256, createdAt, updatedAt }: FileRecord) => ({
  ...{ name, scope: scope ?? GLOBAL, size, md5, sha256, createdAt, updatedAt },
});
