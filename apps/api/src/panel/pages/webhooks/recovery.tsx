import type { RecoveryRecord } from '../../../api/schemas/recovery.ts'
import { cancelRecoveryRoute, getRecoveryRoute } from '../../../api/routes/webhook-recoveries.ts'
import { getEndpointRoute } from '../../../api/routes/webhooks.ts'
import { page } from '../../page.ts'
import { ActionButton, RefusedAction } from '../../view/form.tsx'
import { Badge, Card, PageHeader, LinkButton } from '../../view/components.tsx'
import { Live } from '../../view/live.tsx'
import { endpointCrumbs } from './endpoint-header.tsx'

const updateMs = 1_500

export const recoveryPage = page({
  path: '/webhooks/:id/recoveries/:recovery_id',
  access: 'webhooks.read',
  async show({ call, params }) {
    const { webhook: endpoint } = await call(getEndpointRoute, { params: { id: params.id } })
    const { recovery } = await call(getRecoveryRoute, { params })
    const isRunning = recovery.status === 'running'
    return {
      title: 'Recovery',
      updateMs: isRunning ? updateMs : undefined,
      body: (
        <>
          <PageHeader title="Recovery" crumbs={endpointCrumbs(endpoint)} />
          <RefusedAction />
          <Card>
            <Progress recovery={recovery} />
          </Card>
          <Live id="recovery-actions" className="buttons">
            <LinkButton to={`/webhooks/${endpoint.id}/deliveries`}>View deliveries</LinkButton>
            {isRunning && <ActionButton action="cancel">Cancel recovery</ActionButton>}
          </Live>
        </>
      ),
    }
  },
  actions: {
    async cancel({ call, params }) {
      await call(cancelRecoveryRoute, { params })
      const { id, recovery_id } = params
      return { to: `/webhooks/${id}/recoveries/${recovery_id}`, message: 'recovery_cancelled' }
    },
  },
})

const labels = { running: 'Running', done: 'Completed', cancelled: 'Cancelled' } as const
const tones = { running: 'info', done: 'ok', cancelled: 'warn' } as const

function Progress({ recovery: { status, total, done } }: { recovery: RecoveryRecord }) {
  return (
    <div aria-live="polite">
      <Live id="recovery" className="stack">
        <Badge tone={tones[status]}>{labels[status]}</Badge>
        {total === 0 ? (
          <p>There is nothing to send in the time range.</p>
        ) : (
          <>
            <p>
              <strong>{done.toLocaleString('en')}</strong> of {total.toLocaleString('en')}{' '}
              {total === 1 ? 'event' : 'events'} sent.
            </p>
            <progress max={total} value={done} aria-label="Sent events" />
          </>
        )}
      </Live>
    </div>
  )
}
