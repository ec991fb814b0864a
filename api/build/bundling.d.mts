import type { BuildOptions } from 'esbuild';

export declare const bundling: BuildOptions;
export declare const withPackages: BuildOptions;
