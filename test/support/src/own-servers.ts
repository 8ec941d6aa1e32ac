/**
 * Whether the tests run that end and restart Postgres and Redis servers of their own. Always, unless the test runner found
 * that the machine lacks their binaries and said so (it sets `TALLYSTICK_TEST_OWN_SERVERS=none`): a test file run by
 * itself on such a machine fails, it does not pass by.
 */
export const own_servers_expected: boolean = process.env.TALLYSTICK_TEST_OWN_SERVERS !== 'none';
