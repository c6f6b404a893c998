import { Table } from '@hosting/html'
import type { IncidentRecord } from '../../../api/schemas/endpoint.ts'
import { CauseSwatch } from '../../view/cause-strip.tsx'
import { Badge } from '../../view/components.tsx'
import { lastedText } from '../../view/moments.ts'
import { Time } from '../../view/time.tsx'
import type { CauseSpan, IncidentCause } from './incident-causes.ts'

/** Whether an incident is open, or what closed it. */
export function IncidentState({ by }: { by: IncidentRecord['closed_by'] }) {
  if (by === null) return <Badge tone="bad">Open</Badge>
  if (by === 'success') return <Badge tone="ok">Recovered</Badge>
  return <Badge>{by === 'disabled' ? 'Disabled' : 'Deleted'}</Badge>
}

/** Each cause of an incident with its remedy. */
export const CauseTable = ({ causes }: { causes: readonly IncidentCause[] }) => (
  <Table
    caption="Causes of the incident, in the order of their first attempt"
    variant="causes"
    rows={causes}
    keyOf={({ label }) => label}
    columns={[
      {
        name: 'Cause',
        show: ({ label, className }) => (
          <span class="cause">
            <CauseSwatch className={className} />
            {label}
          </span>
        ),
      },
      { name: 'Attempts', numeric: true, show: ({ attempts }) => attempts.toLocaleString('en') },
      { name: 'What happened', show: ({ help }) => help?.meaning },
      { name: 'What to do', show: ({ help }) => help?.advice },
    ]}
  />
)

/** The strip of an incident as a table. */
export const SpanDetails = ({ spans }: { spans: readonly CauseSpan[] }) => (
  <details class="details">
    <summary>As a table</summary>
    <div class="card-table">
      <Table
        caption="How the attempts failed over time"
        variant="spans"
        rows={spans}
        keyOf={({ start, cause }) => `${start.getTime()} ${cause.label}`}
        columns={[
          { name: 'From', show: ({ start }) => <Time at={start} /> },
          { name: 'Cause', show: ({ cause }) => cause.label },
          {
            name: 'Attempts',
            numeric: true,
            show: ({ attempts }) => attempts.toLocaleString('en'),
          },
          {
            name: 'Lasted',
            numeric: true,
            show: ({ start, end }) => lastedText(end.getTime() - start.getTime()),
          },
        ]}
      />
    </div>
  </details>
)
