/** The API records of a template, a profile, a view or a file. */
import { Type } from 'typebox';
import type { FileRecord } from '../../engine/api-port/index.ts';
import { nonEmpty, time } from '../../engine/api-port/schemas.ts';
import { projection } from './projection.ts';

/** The scope for all nodes, in RackHD's term. */
export const GLOBAL = 'global';

const common = {
  name: nonEmpty,
  scope: nonEmpty,
  size: Type.Integer(),
  md5: nonEmpty,
  sha256: nonEmpty,
  createdAt: time,
  updatedAt: time,
};

/** Files stored before scopes existed have no scope. */
const scope = ({ scope: stored }: FileRecord) => stored ?? GLOBAL;
const content = ({ content: id }: FileRecord) => id;

/** RackHD's clients read `filename` and `uuid`. */
export const fileRecord = Type.Object({ ...common, filename: nonEmpty, uuid: nonEmpty }, { title: 'File' });

export const fileView = projection(fileRecord, { scope, filename: ({ name }: FileRecord) => name, uuid: content });

/** RackHD's clients read `id` and `hash`. */
export const renderableRecord = Type.Object({ ...common, id: nonEmpty, hash: nonEmpty }, { title: 'Renderable' });

export const renderableView = projection(renderableRecord, {
  scope,
  id: content,
  hash: ({ sha256 }: FileRecord) => sha256,
});
