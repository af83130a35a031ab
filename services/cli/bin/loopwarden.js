#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Types are stripped and code is compiled once, and not at every start.
enableCompileCache();
await import('../src/main.ts');
