/** A template, a profile or a file, as the interface shows it. */
import { Type } from 'typebox';
import type { FileRecord } from '../../engine/api-port/index.ts';
import { nonEmpty, time } from './common.ts';

export const fileRecord = Type.Object(
  { name: nonEmpty, size: Type.Integer(), md5: nonEmpty, sha256: nonEmpty, createdAt: time, updatedAt: time },
  { title: 'File' },
);

export const fileView = ({ name, size, md5, sha256, createdAt, updatedAt }: FileRecord) => ({
  ...{ name, size, md5, sha256, createdAt, updatedAt },
});
