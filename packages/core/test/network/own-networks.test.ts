import { expect, test } from '@jest/globals'
import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os'
import { formatNetwork } from '../../src/network/networks.ts'
import { addressPolicyOf, ownNetworks, type Interfaces } from '../../src/network/own-networks.ts'

const info = (address: string, internal = false): NetworkInterfaceInfo =>
  ({
    address,
    internal,
    family: address.includes(':') ? 'IPv6' : 'IPv4',
  }) as NetworkInterfaceInfo

test('every address except loopback becomes a network of one address', () => {
  const networks = ownNetworks({
    lo: [info('127.0.0.1', true), info('::1', true)],
    eth0: [info('203.0.113.7'), info('2001:db8::7'), info('fe80::1')],
    docker0: [info('172.17.0.1')],
    gone: undefined,
  })
  expect(networks.map(formatNetwork)).toEqual([
    '203.0.113.7/32',
    '2001:db8::7/128',
    'fe80::1/128',
    '172.17.0.1/32',
  ])
})

test('a machine without interfaces has no own networks', () => expect(ownNetworks({})).toEqual([]))

test('the interfaces of this machine are read', () => {
  const addresses = Object.values(networkInterfaces())
    .flatMap((of) => of ?? [])
    .filter(({ internal }) => !internal)
  expect(ownNetworks(networkInterfaces())).toHaveLength(addresses.length)
})

const interfaceAt = (address: string): Interfaces => ({
  eth0: [
    {
      address,
      netmask: '255.255.255.0',
      family: 'IPv4',
      mac: '00:00:00:00:00:00',
      internal: false,
      cidr: `${address}/24`,
    },
  ],
})

test('a new address of the machine is refused after a second, and a removed one is permitted again', () => {
  let [nowMs, interfaces] = [0, interfaceAt('203.0.114.1')]
  const policy = addressPolicyOf(
    { ownNetworks: undefined, allowedNetworks: [] },
    () => interfaces,
    () => nowMs,
  )
  const permitted = () =>
    ['203.0.114.1', '203.0.114.2'].filter((address) => policy.permits(address, 'public'))
  expect(permitted()).toEqual(['203.0.114.2'])
  interfaces = interfaceAt('203.0.114.2')
  nowMs += 1_000
  expect(permitted()).toEqual(['203.0.114.1'])
})

test('the interfaces are not read if OWN_NETWORKS is set', () => {
  const policy = addressPolicyOf({ ownNetworks: [], allowedNetworks: [] }, () => {
    throw new Error('asked')
  })
  expect(policy.permits('203.0.114.1', 'public')).toBe(true)
})
