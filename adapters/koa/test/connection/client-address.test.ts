import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { addressOwner, createAddressReader } from '../../src/connection/client-address.ts';

function requestFrom(remoteAddress: string | undefined, ...forwarded: string[]): IncomingMessage {
  const rawHeaders = forwarded.flatMap((value) => ['X-Forwarded-For', value]);
  return { socket: { remoteAddress }, rawHeaders } as unknown as IncomingMessage;
}

describe('the address of a client', () => {
  const addressOf = createAddressReader(['10.0.0.0/8', 'fd00::/8']);

  it('is that of the connection, whatever an untrusted client claims', () => {
    assert.equal(addressOf(requestFrom('192.0.2.7', '198.51.100.1')), '192.0.2.7');
    assert.equal(addressOf(requestFrom('::ffff:192.0.2.7', '198.51.100.1')), '192.0.2.7');
    assert.equal(addressOf(requestFrom(undefined)), null);
  });

  it('is the last one before the trusted proxies: what is before it may be invented', () => {
    assert.equal(addressOf(requestFrom('10.1.2.3', '1.1.1.1, 192.0.2.7')), '192.0.2.7');
    assert.equal(addressOf(requestFrom('::ffff:10.1.2.3', '1.1.1.1, 192.0.2.7 , 10.9.9.9')), '192.0.2.7');
    assert.equal(addressOf(requestFrom('fd00::1', '1.1.1.1', '2001:DB8:0::7, fd00::2')), '2001:db8::7');
  });

  it('is that of the first trusted proxy when all of them are trusted', () => {
    assert.equal(addressOf(requestFrom('10.1.2.3', '10.4.5.6')), '10.4.5.6');
    assert.equal(addressOf(requestFrom('10.1.2.3')), '10.1.2.3');
  });

  it('is read with a port, and nothing is read beyond what is no address', () => {
    assert.equal(addressOf(requestFrom('10.1.2.3', '192.0.2.7:4711')), '192.0.2.7');
    assert.equal(addressOf(requestFrom('10.1.2.3', '[2001:db8::7]:4711')), '2001:db8::7');
    assert.equal(addressOf(requestFrom('10.1.2.3', 'fe80::1%eth0')), 'fe80::1');
    for (const text of ['unknown', '', '1.1.1.1, _hidden', '1.1.1.1, 10.0.0.256', ',']) {
      assert.equal(addressOf(requestFrom('10.1.2.3', text)), '10.1.2.3', text);
    }
  });
});

describe('the bounds of an address', () => {
  it('are those of its /64 when it is an IPv6 address', () => {
    assert.equal(addressOwner('192.0.2.7'), '192.0.2.7');
    assert.equal(addressOwner('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
    assert.equal(addressOwner('2001:db8:1:2::1'), addressOwner('2001:db8:1:2:ffff::9'));
    assert.notEqual(addressOwner('2001:db8:1:2::1'), addressOwner('2001:db8:1:3::1'));
    assert.equal(addressOwner('2001:db8::1'), '2001:db8:0:0::/64');
    assert.equal(addressOwner('::1'), '0:0:0:0::/64');
  });
});
