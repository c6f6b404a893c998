import { histogramBucketsDefault, histogramBucketsMax } from '@hosting/core/webhooks'
import { Type, type TSchema } from 'typebox'
import { strictObject, timeText } from './common.ts'

/** The query parameters of every histogram, besides the filters of its list. */
export const histogramQuery = {
  since: Type.Optional(
    timeText('When the first bucket starts. Default: 24 hours before the end of the last one.'),
  ),
  until: Type.Optional(timeText('When the last bucket ends. Default: now.')),
  buckets: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: histogramBucketsMax,
      default: histogramBucketsDefault,
      description: `The number of buckets, 1 to ${histogramBucketsMax}.`,
    }),
  ),
}

/** The response of a histogram. */
export const histogramResponse = <Bucket extends TSchema>(bucket: Bucket) =>
  strictObject({
    items: Type.Array(bucket, {
      description: 'The buckets, oldest first. They are equally long, and empty ones are included.',
    }),
    complete: Type.Boolean({
      description:
        'Whether everything was counted. False: only the newest records were, so the first buckets are too low or empty.',
    }),
  })
