/** The parts common to all Redfish services: headers, errors, and the public documents (DSP0266). */
import type { IncomingMessage } from 'node:http';

export interface Asked {
  method: string;
  path: string;
  body: Record<string, unknown>;
  /** The body as it was sent. */
  text: string;
  headers: IncomingMessage['headers'];
}

export interface Said {
  status: number;
  /** Text is sent unchanged, anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

export const ROOT = '/redfish/v1/';
const METADATA = '/redfish/v1/$metadata';

export const link = (path: string) => ({ '@odata.id': path });
export const found = (body: object): Said => ({ status: 200, body });
export const rejection = (status: number, message: string): Said => ({
  status,
  body: {
    error: {
      code: 'Base.1.0.GeneralError',
      message: 'See @Message.ExtendedInfo',
      '@Message.ExtendedInfo': [{ MessageId: 'Base.1.0.GeneralError', Message: message, Severity: 'Warning' }],
    },
  },
});

/** 8.4.1: the resource does not support the method. */
export const notAllowed = (...methods: string[]): Said => ({
  ...rejection(405, 'The method is not allowed'),
  headers: { allow: methods.join(', ') },
});

const metadata = `<?xml version="1.0" encoding="UTF-8"?>
<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0"><edmx:DataServices>
<Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="Service">
<EntityContainer Name="Service" Extends="ServiceRoot.v1_5_0.ServiceContainer"/>
</Schema></edmx:DataServices></edmx:Edmx>`;

/** Returns undefined if it is none of these documents, or needs a session. */
export function publicDocument({ method, path, headers }: Asked, root: object): Said | undefined {
  const { 'odata-version': version = '4.0' } = headers;
  if (version !== '4.0') return rejection(412, `The OData-Version ${version} is not supported`);
  const documents: Record<string, Said> = {
    '/redfish': found({ v1: ROOT }),
    '/redfish/v1': found(root),
    [ROOT]: found(root),
    '/redfish/v1/odata': found({
      '@odata.context': METADATA,
      value: Object.entries({ Service: link(ROOT), ...root }).flatMap(([name, value]) => {
        const url = (value as { '@odata.id'?: string })['@odata.id'];
        return url === undefined ? [] : [{ name, kind: 'Singleton', url }];
      }),
    }),
    [METADATA]: { status: 200, body: metadata, headers: { 'content-type': 'application/xml' } },
  };
  const document = documents[path];
  if (document === undefined) return undefined;
  return method === 'GET' || method === 'HEAD' ? document : notAllowed('GET', 'HEAD');
}

/** Headers of every answer. */
export const headersOf = ({ status, headers }: Said): Record<string, string> => ({
  'content-type': 'application/json',
  'odata-version': '4.0',
  'cache-control': 'no-cache',
  link: '<http://redfish.dmtf.org/schemas/v1/ServiceRoot.json>; rel=describedby',
  ...(status === 200 && { allow: 'GET, HEAD' }),
  ...(status === 401 && { 'www-authenticate': 'Basic realm="a BMC"' }),
  ...headers,
});
