import { ImportStopped, importFile } from '@tallystick/imports';
import { mikroOrmPersistence } from '@tallystick/mikro-orm';
import { testAuditMac } from '@tallystick/test-support';
import { clock } from './filled-database.ts';
import { fileSource, import_call, importPorts } from './import-set.ts';

/**
 * An import in a separate process: `database_url` and `path`, and `stage` to stop when the file is
 * staged. Sends `{ phase }` to its parent when it is staged, and its peak memory when it is done.
 */
const [database_url = '', path = '', until = 'end'] = process.argv.slice(2);

const persistence = await mikroOrmPersistence({ audit_mac: testAuditMac, database_url, clock });
const stop = new AbortController();
const options = {
  signal: stop.signal,
  onStaged() {
    process.send?.({ phase: 'applying' });
    if (until === 'stage') stop.abort();
  },
};
try {
  await importFile(importPorts(persistence), import_call, fileSource(path), options);
} catch (error) {
  if (!(error instanceof ImportStopped)) throw error;
}
await persistence.close();
process.send?.({ peak_bytes: process.resourceUsage().maxRSS * 1024 });
process.disconnect?.();
