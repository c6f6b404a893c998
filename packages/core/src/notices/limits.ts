/** Maximum notices that one request marks as read. */
export const noticeIdsMax = 1_000
