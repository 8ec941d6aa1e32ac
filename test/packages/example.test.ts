import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { embeddingExample } from './example.ts';

const block = '```ts\n// app.ts\nimport { createTallystick } from "tallystick";\n```\n';

describe('the embedding example', () => {
  it('is the first TypeScript block below its heading, up to the next heading of that level', () => {
    const readme = `# T\n\n## Other\n\n${block.replace('app', 'no')}\n## Embedding\n\nText.\n\n\`\`\`sh\n# npm\n\`\`\`\n\n### In words\n\n${block}`;
    const text = '// app.ts\nimport { createTallystick } from "tallystick";\n';
    assert.deepEqual(embeddingExample(readme), { file: 'app.ts', text });
  });

  it('is refused with a sentence when it is missing, names no file, or is too long', () => {
    assert.throws(() => embeddingExample(`# T\n\n${block}`), /no heading "Embedding"/);
    assert.throws(() => embeddingExample(`## Embedding\n\nText.\n\n## Next\n\n${block}`), /no ```ts block/);
    assert.throws(() => embeddingExample('## Embedding\n\n```ts\nfoo();\n```\n'), /is not a comment with its file/);
    const long = block.replace('import', 'foo();\n'.repeat(18) + 'import');
    embeddingExample(`## Embedding\n\n${long}`);
    assert.throws(
      () => embeddingExample(`## Embedding\n\n${long.replace('import', 'foo();\nimport')}`),
      /has 21 lines; 20/,
    );
  });
});
