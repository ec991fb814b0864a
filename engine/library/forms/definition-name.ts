import { Type } from 'typebox';

/** The name of a definition in JSON, of any prefix, as RackHD's. Its first character keeps paths with it, such as `..`, intact. */
export const definitionName = Type.String({ pattern: '^\\w', maxLength: 256 });
