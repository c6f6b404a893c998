import { Counter, Gauge, type Registry } from 'prom-client'

/** The metrics of endpoints. Every worker reports the same values for the gauges, so take the maximum. */
export interface EndpointMetrics {
  readonly recoveriesRunning: Gauge
  readonly endpointsFailing: Gauge
  readonly throttledDeliveries: Gauge
  readonly endpointsDisabled: Counter
}

/** Creates the metrics of endpoints. */
export const createEndpointMetrics = (registers: Registry[]): EndpointMetrics => ({
  recoveriesRunning: new Gauge({
    name: 'hosting_recoveries_running',
    help: 'Recoveries of dead deliveries that are running.',
    registers,
  }),
  endpointsFailing: new Gauge({
    name: 'hosting_endpoints_failing',
    help: 'Endpoints with an open incident, counted up to 10,000.',
    registers,
  }),
  throttledDeliveries: new Gauge({
    name: 'hosting_throttled_deliveries',
    help: 'Due deliveries that wait for the rate limit of their endpoint, counted up to 10,000.',
    registers,
  }),
  endpointsDisabled: new Counter({
    name: 'hosting_endpoints_disabled_total',
    help: 'Endpoints that this worker disabled because they kept failing.',
    registers,
  }),
})
