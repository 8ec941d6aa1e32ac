export * from './complete-template.ts';
export * from './ports.ts';
export * from './request-template.ts';
export * from './template.ts';
export * from './wire-shapes.ts';
