import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SourceFile, Tree, Workspace } from './rules.ts';

const text_file = /\.(ts|json|md|html|sql|yml|toml)$|\.ci\/run$/;

/**
 * Reads the files of the working tree that git tracks or would track, and the workspaces among
 * them.
 */
export function readSourceTree(root: string): Tree {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root });
  const paths = listed
    .toString('utf8')
    .split('\0')
    .filter((path) => text_file.test(path) && path !== 'package-lock.json');
  const files = paths.flatMap((path): SourceFile[] => {
    try {
      return [{ path, text: readFileSync(`${root}/${path}`, 'utf8') }];
    } catch {
      return []; // deleted in the working tree, still in the index
    }
  });
  const workspaces = files
    .filter((file) => file.path.endsWith('/package.json') || file.path === 'package.json')
    .map((file): Workspace => ({ folder: dirname(file.path), manifest: JSON.parse(file.text) }));
  return { files, workspaces };
}
