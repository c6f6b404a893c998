/** The path of Bull Board. */
export const boardPath = '/queues'
