import { problemCatalog } from '@hosting/core/problems'

const text = { type: 'string' }

const required = ['type', 'title', 'status', 'detail', 'code', 'request_id']

/**
 * The schema of problem documents (RFC 9457).
 *
 * @param codes - the codes of the public API. Without them, the schema knows all codes, and problems that the platform
 *   passes on, which have no `instance`.
 */
export const problemSchemaOf = (codes?: readonly string[]) => ({
  type: 'object',
  description: 'A problem document (RFC 9457).',
  required: codes === undefined ? required : [...required, 'instance'],
  properties: {
    type: { ...text, description: 'The page that explains the code.' },
    title: { ...text, description: 'What the code means, in a few words.' },
    status: { type: 'integer', description: 'The HTTP status of the response.' },
    detail: { ...text, description: 'What happened in this request, for people.' },
    instance: { ...text, description: 'The path of the request.' },
    code: {
      ...text,
      enum: [...(codes ?? Object.keys(problemCatalog))],
      description: 'The stable name of the problem. Programs compare it instead of the texts.',
    },
    error: {
      ...text,
      description: 'Equal to `code`, for clients of OAuth (RFC 6749, section 5.2).',
    },
    error_description: {
      ...text,
      description: 'What `detail` says in printable ASCII, for clients of OAuth.',
    },
    request_id: {
      ...text,
      description: 'The `X-Request-Id` of the response. Quote it when you contact support.',
    },
    errors: {
      type: 'array',
      description: 'For 422: the invalid members.',
      items: {
        type: 'object',
        required: ['pointer', 'message'],
        properties: {
          pointer: {
            ...text,
            description: 'A JSON Pointer (RFC 6901) into the body or the query.',
          },
          message: { ...text, description: 'What is wrong with the member.' },
        },
      },
    },
  },
})
