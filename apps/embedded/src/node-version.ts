/**
 * Throws with one sentence when this Node is too old. Node links every module of an entry point
 * before it runs the first, so an entry point that imports `supported-node.ts` first throws this
 * before a native library is loaded, which would end an older Node without a message.
 */
export function requireNode(major_min: number, running: string = process.versions.node): void {
  if (Number.parseInt(running, 10) >= major_min) return;
  throw new Error(`tallystick needs Node ${major_min} or later, and this is Node ${running}: run it with a newer Node`);
}
