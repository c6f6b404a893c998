import { describeNotice } from '@hosting/core/notices'
import type { FedNotice, NoticeRecord } from '@hosting/postgres/notices'

/** A notice as the API returns it to its person. */
export const toNoticeRecord = (notice: NoticeRecord) => ({
  id: notice.id,
  type: notice.type,
  created_at: notice.createdAt,
  read_at: notice.readAt,
  subject: notice.subject,
  ...describeNotice(notice),
})

/** A notice in the internal feed. */
export const toFedNotice = (notice: FedNotice) => ({
  id: notice.id,
  type: notice.type,
  created_at: notice.createdAt,
  tenant_id: notice.tenantId,
  user: notice.user,
  subject: notice.subject,
  ...describeNotice(notice),
})
