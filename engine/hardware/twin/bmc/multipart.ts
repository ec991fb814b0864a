/** The body of a multipart update (DSP0266, 12.6.2.2): its parameters, and the name of its image. The image is not kept. */
import { isObject, type JsonObject } from '../../../vocabulary/json.ts';
import { badRequest } from './bmc-rejection.ts';
import type { BmcRequest } from './bmc-request.ts';

interface PushedImage {
  parameters: JsonObject;
  name: string;
}

const PARAMETERS = 'UpdateParameters';

/** @throws BmcRejection 400 */
export function pushedImage({ headers, body }: BmcRequest): PushedImage {
  const type = String(headers['content-type'] ?? '');
  const [, quoted, plain] = /^multipart\/form-data;.*\bboundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw badRequest('MissingOrMalformedPart');
  // Latin-1: each byte is one character, whatever the image holds.
  const parts = body.toString('latin1').split(`--${boundary}`).slice(1);
  let parameters: JsonObject | undefined;
  let name: string | undefined;
  for (const part of parts) {
    const end = part.indexOf('\r\n\r\n');
    const head = part.slice(0, Math.max(end, 0));
    const field = /\bname="([^"]*)"/i.exec(head)?.[1];
    if (field === PARAMETERS) parameters = parsedParameters(Buffer.from(part.slice(end + 4), 'latin1').toString());
    if (field === 'UpdateFile') name = /\bfilename="([^"]*)"/i.exec(head)?.[1] ?? '';
  }
  if (parameters === undefined || name === undefined) throw badRequest('MissingOrMalformedPart');
  return { parameters, name };
}

function parsedParameters(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Refused below.
  }
  throw badRequest('MalformedJSON');
}
