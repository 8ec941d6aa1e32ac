import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, matchesGlob } from 'node:path';
import { promisify } from 'node:util';

/** An instruction of a Dockerfile: `RUN`, and the text after it. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of a Dockerfile by stage. Each begins with `FROM`. */
export function readStages(dockerfile: string): readonly (readonly Instruction[])[] {
  const stages: Instruction[][] = [];
  for (const line of dockerfile.replaceAll(/\\\n/g, ' ').split('\n')) {
    const [, name, text] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (name === undefined || text === undefined) continue;
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, text });
  }
  return stages;
}

/** The files of the repository that .dockerignore leaves in the context of the build. */
export function contextFiles(root: string): readonly string[] {
  const rules = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ keeps: line.startsWith('!'), pattern: line.replace(/^!/, '') }));
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root });
  return listed
    .toString('utf8')
    .split('\0')
    .filter((path) => path !== '' && rules.findLast(({ pattern }) => isBelow(path, pattern))?.keeps !== false);
}

/** Whether the pattern matches the path or a folder that contains it. */
function isBelow(path: string, pattern: string): boolean {
  return path.split('/').some((_, index, names) => matchesGlob(names.slice(0, index + 1).join('/'), pattern));
}

/** What the last stage of a build leaves. */
export interface Image {
  /** The folder on this machine that is `/` of the image. */
  readonly root: string;
  /** Commands that this machine must not execute, because they would change it. */
  readonly not_run: readonly string[];
  /** The text after the last instruction of this name. */
  setting(name: string): string;
  /** An absolute path of the image, in any text, as a path of this machine. */
  locate(text: string): string;
}

/**
 * Executes the instructions of a Dockerfile one by one, with a folder for each stage. Commands that
 * install packages of the system are not executed.
 */
export async function buildImage(repository: string, folder: string): Promise<Image> {
  const stages = readStages(readFileSync(join(repository, 'Dockerfile'), 'utf8'));
  const roots = new Map<string, string>();
  const not_run: string[] = [];
  let image: Image | undefined;
  for (const [index, stage] of stages.entries()) {
    const alias = / AS (\w+)$/.exec(stage[0]?.text ?? '')?.[1] ?? `stage-${index}`;
    const root = join(folder, alias);
    roots.set(alias, root);
    mkdirSync(root);
    let workdir = '/';
    const locate = (text: string): string => text.replaceAll(/(?<![\w./-])\/(?=(?:app|data)\b)/g, `${root}/`);
    for (const { name, text } of stage) {
      if (name === 'WORKDIR') {
        workdir = text;
        mkdirSync(join(root, workdir), { recursive: true });
      } else if (name === 'COPY') {
        const [, from, source, target] = /^(?:--from=(\w+) )?(\S+) (\S+)$/.exec(text) as unknown as string[];
        const to = isAbsolute(target as string) ? join(root, target as string) : join(root, workdir, target as string);
        if (from !== undefined) {
          cpSync(join(roots.get(from) as string, source as string), to, { recursive: true, verbatimSymlinks: true });
        } else {
          for (const path of contextFiles(repository)) {
            mkdirSync(dirname(join(to, path)), { recursive: true });
            cpSync(join(repository, path), join(to, path));
          }
        }
      } else if (name === 'RUN') {
        if (/\bapt-get\b/.test(text)) not_run.push(text);
        else await run(withoutOwner(locate(text)), join(root, workdir));
      }
    }
    chmodSync(root, 0o755);
    const setting = (wanted: string): string => stage.findLast(({ name }) => name === wanted)?.text ?? '';
    image = { root, not_run, setting, locate };
  }
  return image as Image;
}

/** Only root may make files of another user. */
function withoutOwner(command: string): string {
  return process.getuid?.() === 0 ? command : command.replaceAll(/ -[og] \d+/g, '');
}

async function run(command: string, cwd: string): Promise<void> {
  const { PATH, HOME, HTTP_PROXY, HTTPS_PROXY, NODE_EXTRA_CA_CERTS, npm_config_registry } = process.env;
  const env = { PATH, HOME, HTTP_PROXY, HTTPS_PROXY, NODE_EXTRA_CA_CERTS, npm_config_registry };
  await promisify(execFile)('sh', ['-c', command], { cwd, env: { ...env, npm_config_prefer_offline: 'true' } });
}
