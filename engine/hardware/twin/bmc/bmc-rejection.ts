/** Errors of a BMC (DSP0266, 8.6), with messages of DMTF's registry `Base` (DSP8011). */
import type { JsonObject } from '../../../vocabulary/json.ts';

const BASE = 'Base.1.19';

const texts = {
  GeneralError: ['A general error has occurred.', 'None.'],
  AccessDenied: ['There is no valid session or account for this request.', 'Log in with the right credentials.'],
  InsufficientPrivilege: [
    'The account or credentials of the current session have insufficient privileges.',
    'Use an account with the needed privileges.',
  ],
  ResourceMissingAtURI: ['The resource at the URI %1 was not found.', 'Place a valid resource at the URI.'],
  ResourceNotFound: [
    'The requested resource of type %1 named %2 was not found.',
    'Provide a valid resource identifier.',
  ],
  OperationNotAllowed: ['The HTTP method is not allowed on this resource.', 'See the header Allow.'],
  PreconditionFailed: ['The ETag supplied did not match the ETag of the resource.', 'Read the resource again.'],
  HeaderInvalid: ["Header '%1' is invalid.", 'Provide a valid header.'],
  MalformedJSON: ['The request body submitted was malformed JSON.', 'Send valid JSON.'],
  MissingOrMalformedPart: [
    'The multipart request contains malformed parts or is missing required parts.',
    'Correct it.',
  ],
  PayloadTooLarge: ['The supplied payload exceeds the maximum size supported by the service.', 'Send less.'],
  PropertyUnknown: ['The property %1 is not in the list of valid properties for the resource.', 'Remove it.'],
  PropertyMissing: ['The property %1 is a required property and must be included in the request.', 'Include it.'],
  PropertyNotWritable: ['The property %1 is a read-only property and cannot be assigned a value.', 'Remove it.'],
  PropertyValueTypeError: [
    'The value %1 for the property %2 is not a type that the property can accept.',
    'Correct it.',
  ],
  PropertyValueNotInList: ['The value %1 for the property %2 is not in the list of acceptable values.', 'Choose one.'],
  PropertyValueOutOfRange: ['The value %1 for the property %2 is not in the supported range.', 'Correct the value.'],
  ActionParameterUnknown: ['The action was submitted with the invalid parameter %1.', 'Remove the parameter.'],
  ActionParameterMissing: ['The action requires the parameter %1 to be present in the request body.', 'Include it.'],
  ActionParameterValueNotInList: [
    'The value %1 for the parameter %2 is not in the list of acceptable values.',
    'Choose one.',
  ],
  QueryNotSupported: ['Querying is not supported by the implementation.', 'Remove the query parameters.'],
  QueryParameterOutOfRange: [
    'The value %1 for the query parameter %2 is out of range.',
    'Correct the query parameter.',
  ],
  ResourceAlreadyExists: [
    'The resource of type %1 with the property %2 with the value %3 already exists.',
    'Choose another.',
  ],
  ResourceInUse: [
    'The change to the resource failed because the resource is in use or in transition.',
    'Try again later.',
  ],
  CreateLimitReachedForResource: [
    'The create operation failed because the resource has reached its limit.',
    'Delete one.',
  ],
  SessionLimitExceeded: ['The session establishment failed due to the number of simultaneous sessions.', 'End one.'],
  ServiceTemporarilyUnavailable: [
    'The service is temporarily unavailable. Retry in %1 seconds.',
    'Wait, and try again.',
  ],
  ActionNotSupported: ['The action %1 is not supported by the resource.', 'Use another action.'],
} as const;

export type BaseMessage = keyof typeof texts;

/** Ends a request without a change. Its message is of the registry. */
export class BmcRejection extends Error {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Record<string, string>;

  /** @param words fill the message's places @param more instead of the usual resolution */
  constructor(
    status: number,
    id: BaseMessage,
    words: readonly string[] = [],
    { resolution, headers = {} }: { resolution?: string; headers?: Record<string, string> } = {},
  ) {
    const [text, advice] = texts[id];
    const message = words.reduce<string>((said, word, at) => said.replace(`%${at + 1}`, `'${word}'`), text);
    super(message);
    this.status = status;
    this.headers = headers;
    const info = {
      '@odata.type': '#Message.v1_1_2.Message',
      MessageId: `${BASE}.${id}`,
      Message: message,
      MessageArgs: [...words],
      Severity: 'Warning',
      MessageSeverity: 'Warning',
      Resolution: resolution ?? advice,
    };
    this.body = {
      error: {
        code: `${BASE}.GeneralError`,
        message: 'A general error has occurred. See ExtendedInfo for more information.',
        '@Message.ExtendedInfo': [info],
      },
    };
  }
}

/** A 400. */
export const badRequest = (id: BaseMessage, ...words: string[]): BmcRejection => new BmcRejection(400, id, words);
