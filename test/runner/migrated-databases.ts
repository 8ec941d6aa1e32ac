/**
 * Makes a migrated database of each kind that the tests use, and prints them as JSON. Removes them
 * when its standard input ends.
 */
import { database_names, migratedDatabase } from '@tallystick/test-support';

const databases = await Promise.all(database_names.map((name) => migratedDatabase(name)));
console.log(JSON.stringify(databases));
process.stdin.resume().once('end', () => Promise.all(databases.map((database) => database.dispose())));
