import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { addressGuard } from '../src/index.ts';

const refused: readonly (readonly [address: string, what: string])[] = [
  ['0.0.0.0', 'this host'],
  ['0.1.2.3', 'this network'],
  ['10.0.0.1', 'private'],
  ['10.255.255.255', 'private'],
  ['100.64.0.1', 'carrier-grade NAT'],
  ['100.100.100.200', 'a metadata service, in carrier-grade NAT'],
  ['100.127.255.255', 'carrier-grade NAT'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['168.63.129.16', 'a metadata service on a public address'],
  ['169.254.0.1', 'link-local'],
  ['169.254.169.254', 'the metadata service of most clouds'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.0.0.1', 'protocol assignments'],
  ['192.0.0.192', 'a metadata service'],
  ['192.0.2.1', 'documentation'],
  ['192.88.99.1', '6to4 relays'],
  ['192.168.0.1', 'private'],
  ['192.168.255.255', 'private'],
  ['198.18.0.1', 'benchmarking'],
  ['198.19.255.255', 'benchmarking'],
  ['198.51.100.1', 'documentation'],
  ['203.0.113.1', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback, written out'],
  ['::127.0.0.1', 'IPv4-compatible loopback'],
  ['::ffff:127.0.0.1', 'mapped loopback'],
  ['::ffff:7f00:1', 'mapped loopback in hexadecimal'],
  ['::ffff:10.0.0.1', 'mapped private'],
  ['::ffff:169.254.169.254', 'mapped metadata'],
  ['::ffff:8.8.8.8', 'mapped public: no name should resolve to it'],
  ['::ffff:0:127.0.0.1', 'translated loopback'],
  ['64:ff9b::127.0.0.1', 'NAT64 of loopback'],
  ['64:ff9b::a9fe:a9fe', 'NAT64 of the metadata service'],
  ['64:ff9b:1::1', 'local NAT64'],
  ['100::1', 'discard'],
  ['2001::1', 'Teredo'],
  ['2001:10::1', 'ORCHID'],
  ['2001:20::1', 'ORCHIDv2'],
  ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::', '6to4 of loopback'],
  ['2002:a9fe:a9fe::1', '6to4 of the metadata service'],
  ['3fff::1', 'documentation'],
  ['4000::1', 'not assigned'],
  ['5f00::1', 'segment routing'],
  ['fc00::1', 'unique local'],
  ['fd00:ec2::254', 'a metadata service, unique local'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local with a zone'],
  ['febf::1', 'link-local'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
  ['localhost', 'not an address'],
  ['', 'not an address'],
];

for (const [address, what] of refused) {
  test(`refuses ${address || 'nothing'}: ${what}`, () => {
    assert.equal(addressGuard().allows(address), false);
  });
}

test('allows public addresses', () => {
  for (const address of [
    '8.8.8.8',
    '1.1.1.1',
    '100.63.255.255',
    '172.32.0.1',
    '2606:4700::1111',
    '2a00:1450:4001:800::200e',
  ]) {
    assert.equal(addressGuard().allows(address), true, address);
  }
});

test('allows exactly the addresses of a named network', () => {
  const guard = addressGuard(['127.0.0.0/8', 'fd00:1234::/32']);
  assert.equal(guard.allows('127.1.2.3'), true);
  assert.equal(guard.allows('fd00:1234::9'), true);
  assert.equal(guard.allows('10.0.0.1'), false);
  assert.equal(guard.allows('::1'), false);
  assert.equal(guard.allows('::ffff:127.0.0.1'), false);
});

test('refuses a network that does not parse when the guard is created', () => {
  for (const network of ['127.0.0.1/99', 'loopback', '', '10.0.0.0'])
    assert.throws(() => addressGuard([network]), TypeError);
});

test('allows no IPv4 address inside an IPv6 address', () => {
  const octet = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(
      octet,
      octet,
      octet,
      octet,
      fc.constantFrom('::ffff:', '::', '64:ff9b::', '::ffff:0:'),
      (a, b, c, d, prefix) => {
        assert.equal(addressGuard().allows(`${prefix}${a}.${b}.${c}.${d}`), false);
      },
    ),
    propertyParameters(),
  );
});
