/**
 * Whether the tests run that crash and restart separate Postgres and Redis servers. Always, unless
 * the test runner found that the machine lacks the binaries and reported it (it sets
 * `TALLYSTICK_TEST_OWN_SERVERS=none`). A test file that is run alone on such a machine fails; it is
 * not skipped.
 */
export const own_servers_expected: boolean = process.env.TALLYSTICK_TEST_OWN_SERVERS !== 'none';
