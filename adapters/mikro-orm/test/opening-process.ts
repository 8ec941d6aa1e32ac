/** A process that opens each database whose path it is sent, and answers with what became of it. */
import { connectSqlite } from '../src/connection/sqlite/sqlite-connection.ts';

process.on('message', async (path: string) => {
  try {
    const connection = await connectSqlite(path, []);
    process.send?.('opened');
    await connection.close();
  } catch (error) {
    process.send?.(String(error));
  }
});
process.send?.('ready');
