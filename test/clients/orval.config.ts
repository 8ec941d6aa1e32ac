import { defineConfig } from 'orval';

export default defineConfig({
  tallystick: {
    input: './generated/openapi.json',
    output: { target: './generated/orval.ts', client: 'fetch', baseUrl: { runtime: 'process.env.TALLYSTICK_URL' } },
  },
});
