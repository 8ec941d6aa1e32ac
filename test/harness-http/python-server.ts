import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findRuntime, python } from '@tallystick/test-support';

const program = fileURLToPath(new URL('server.py', import.meta.url));

export interface PythonServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the example server, with a planted bug if one is named. It ends with this process. */
export async function startPythonServer(bug?: string): Promise<PythonServer> {
  const path = findRuntime(python);
  if (path === null) throw new Error('this machine has no Python 3.9 or later: name one in TEST_PYTHON');
  const words = [program, ...(bug === undefined ? [] : ['--bug', bug])];
  const child = spawn(path, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const line = once(createInterface({ input: child.stdout }), 'line');
  const [url] = await Promise.race([line, exited.then(() => Promise.reject(new Error('Python has ended: see above')))]);
  return {
    url: String(url),
    async close() {
      child.stdin.end();
      await exited;
    },
  };
}
