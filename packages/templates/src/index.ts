export * from './complete-template.ts';
export { countryOf } from './countries.ts';
export * from './merchant-controls.ts';
export * from './ports.ts';
export * from './request-template.ts';
export * from './template.ts';
export * from './template-versions.ts';
export * from './wire-shapes.ts';
