import type { ReplicationSlot } from '@hosting/postgres/database'
import { Gauge, type Registry } from 'prom-client'

/** The metrics of the standbys of PostgreSQL. Every worker reports the same values, so take the maximum. */
export interface StandbyMetrics {
  readonly slotBytes: Gauge<'slot'>
  readonly slotActive: Gauge<'slot'>
}

/** Creates the metrics of standbys. */
export const createStandbyMetrics = (registers: Registry[]): StandbyMetrics => ({
  slotBytes: new Gauge({
    name: 'hosting_replication_slot_bytes',
    help: 'Write-ahead log that PostgreSQL keeps for a replication slot: how far its standby is behind.',
    labelNames: ['slot'],
    registers,
  }),
  slotActive: new Gauge({
    name: 'hosting_replication_slot_active',
    help: '1 if the standby of a replication slot is connected.',
    labelNames: ['slot'],
    registers,
  }),
})

/** Shows the slots that exist, and no others. */
export function showSlots(
  { slotBytes, slotActive }: StandbyMetrics,
  slots: readonly ReplicationSlot[],
): void {
  for (const gauge of [slotBytes, slotActive]) gauge.reset()
  for (const { name, isActive, keptBytes } of slots) {
    slotBytes.set({ slot: name }, keptBytes)
    slotActive.set({ slot: name }, Number(isActive))
  }
}
