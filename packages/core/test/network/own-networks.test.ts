import { expect, test } from '@jest/globals'
import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os'
import { formatNetwork } from '../../src/network/networks.ts'
import { ownNetworks } from '../../src/network/own-networks.ts'

const info = (address: string, internal = false): NetworkInterfaceInfo =>
  ({
    address,
    internal,
    family: address.includes(':') ? 'IPv6' : 'IPv4',
  }) as NetworkInterfaceInfo

test('every address but loopback is a network of its own', () => {
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

test('a machine without a network has none', () => expect(ownNetworks({})).toEqual([]))

test('the interfaces of this machine are read', () => {
  const addresses = Object.values(networkInterfaces())
    .flatMap((of) => of ?? [])
    .filter(({ internal }) => !internal)
  expect(ownNetworks(networkInterfaces())).toHaveLength(addresses.length)
})
