/** Schemas that the configs of several services share. */
import { Type } from 'typebox';

export const settingText = Type.String({ minLength: 1, maxLength: 1_024 });
/** A user name; a name with a password after a colon does not match, and is not shown. */
export const user = Type.String({ minLength: 1, maxLength: 1_024, pattern: '^[^:/]*$' });
/** A host name, an address, or a MAC that has a lookup. */
export const host = Type.String({ pattern: '^[A-Za-z0-9:][A-Za-z0-9.:%_-]*$', maxLength: 255 });
export const port = Type.Integer({ minimum: 1, maximum: 65_535 });
/** Access by HTTP, and how certificates are checked. */
export const httpAccess = {
  protocol: Type.Optional(Type.Unsafe<'http' | 'https'>({ enum: ['http', 'https'] })),
  verifySSL: Type.Optional(Type.Boolean()),
  ca: Type.Optional(settingText),
};
/** The values of it that may be shown. */
export const plainHttpAccess = {
  protocol: settingText,
  verifySSL: Type.Boolean(),
  ca: Type.String({ pattern: '^-----BEGIN CERTIFICATE' }),
};
