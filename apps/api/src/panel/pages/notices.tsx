import { noticesKeptDays } from '@hosting/core/notices'
import { type NoticeItem, listNoticesRoute, readNoticesRoute } from '../../api/routes/notices.ts'
import { page } from '../page.ts'
import { Badge, Card, EmptyState, LinkButton, PageHeader } from '../view/components.tsx'
import { usePage } from '../view/context.ts'
import { ActionButton, Form, Submit, RefusedAction } from '../view/form.tsx'
import { Live, pageUpdateMs } from '../view/live.tsx'
import { Pager } from '../view/pager.tsx'
import { Ago } from '../view/time.tsx'
import { urlOf } from '../view/url.ts'

export const noticesPage = page({
  path: '/notices',
  access: 'session',
  async show({ call, query }) {
    const { cursor } = query
    const unread = query['unread'] === 'true' ? 'true' : undefined
    const { items, next_cursor: next } = await call(listNoticesRoute, { query: { unread, cursor } })
    return {
      title: 'Notices',
      updateMs: pageUpdateMs,
      body: (
        <>
          <PageHeader title="Notices" actions={<ReadAll />}>
            What happened to your endpoints, keys and account in the last {noticesKeptDays} days.{' '}
            <a href="/security#notifications">Choose which emails you get</a>.
          </PageHeader>
          <RefusedAction />
          <Card
            flush
            title={unread ? 'Unread notices' : 'All notices'}
            aside={
              <LinkButton to={unread ? '/notices' : '/notices?unread=true'} variant="small">
                {unread ? 'Show all' : 'Show unread only'}
              </LinkButton>
            }
          >
            <Live id="notices">
              {items.length > 0 ? (
                <NoticeList notices={items} />
              ) : (
                <NoNotices unread={unread} hasMore={next !== null} />
              )}
            </Live>
          </Card>
          <Live id="notice-pages">
            <Pager next={next} url={urlOf('/notices', query)} />
          </Live>
        </>
      ),
    }
  },
  actions: {
    async read({ call, form }) {
      await call(readNoticesRoute, { body: { ids: form.all('id') } })
      return { to: '/notices' }
    },
    async 'read-all'({ call }) {
      await call(readNoticesRoute, { body: {} })
      return { to: '/notices', message: 'notices_read' }
    },
  },
})

/** The button for all notices, if any is unread. */
function ReadAll() {
  const { unreadNotices } = usePage()
  return unreadNotices > 0 ? (
    <ActionButton action="read-all">Mark all as read</ActionButton>
  ) : undefined
}

const NoNotices = ({ unread, hasMore }: { unread: string | undefined; hasMore: boolean }) => (
  <EmptyState
    icon="bell"
    title={hasMore ? 'No notices on this page' : unread ? 'No unread notices' : 'No notices yet'}
  >
    Failing endpoints, new and expiring keys, and sign-ins from new devices appear here.
  </EmptyState>
)

const NoticeList = ({ notices }: { notices: readonly NoticeItem[] }) => (
  <ul class="notices">
    {notices.map((notice) => (
      <li key={notice.id} class={notice.read_at === null ? 'unread' : undefined}>
        <div>
          <h3>
            <a href={notice.path}>{notice.title}</a>{' '}
            {notice.read_at === null && <Badge tone="info">Unread</Badge>}
          </h3>
          <p>
            <NoticeText text={notice.text} />
          </p>
          <p class="under">
            <Ago at={notice.created_at} />
          </p>
        </div>
        {notice.read_at === null && (
          <Form action="read" plain>
            <input type="hidden" name="id" value={notice.id} />
            <Submit variant="small">
              Mark as read
              <span class="visually-hidden">: {notice.title}</span>
            </Submit>
          </Form>
        )}
      </li>
    ))}
  </ul>
)

/** The text of a notice, in which no line breaks within a time. */
const NoticeText = ({ text }: { text: string }) => (
  <>
    {text.split(/(\d{4}-\d\d-\d\d \d\d:\d\d UTC)/).map((part, index) =>
      index % 2 === 0 ? (
        part
      ) : (
        <span key={index} class="nowrap">
          {part}
        </span>
      ),
    )}
  </>
)
